/** Bundles as the stack does (lib/poller.ts): one file of ES modules, minified, with the SDK in it. */
import { build } from 'esbuild';

export async function bundle(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
}
