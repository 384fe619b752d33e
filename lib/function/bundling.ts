import type { BuildOptions } from 'esbuild';

/**
 * Options for a bundle that is one ES module without imports of other files, so that a cold start
 * reads nothing else.
 */
export const BUNDLE_OPTIONS = {
  format: 'esm',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: true,
  sourcesContent: false,
} as const satisfies BuildOptions;
