/** Bundles as the stack does (lib/function/poller.ts): one file of ES modules, minified, with the SDK in it. */
import { build } from 'esbuild';

/** @param keepNames needed by the simulation, which recognizes the SDK's commands by name */
export async function bundle(entry: string, outfile: string, { keepNames = false } = {}): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    keepNames,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
}
