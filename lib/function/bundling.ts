import type { BuildOptions } from 'esbuild';

/** One file of ES modules with everything in it, so that a cold start reads nothing else. */
export const BUNDLING = {
  format: 'esm',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: true,
  sourcesContent: false,
} as const satisfies BuildOptions;
