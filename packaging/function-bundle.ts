import path from 'node:path';
import type { BuildOptions } from 'esbuild';
import { BUNDLE_OPTIONS } from '../lib/function/bundling.ts';

/**
 * The bundle of the function in the package. It lies as deep below the clone as the folder in which
 * the CDK bundles, so that the source map is the same, and with it the hash of the asset.
 */
export const FUNCTION_BUNDLE = {
  ...BUNDLE_OPTIONS,
  mainFields: [...BUNDLE_OPTIONS.mainFields],
  absWorkingDir: path.join(import.meta.dirname, '..'),
  entryPoints: ['lambda/handler.ts'],
  outfile: 'dist/function/index.mjs',
  bundle: true,
  platform: 'node',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;
