/** Bundles as the stack does (lib/function/poller.ts): one file of ES modules, minified, with the SDK in it. */
import { build } from 'esbuild';

/** @param keepNames what is simulated goes by the names of the SDK's commands */
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
