import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { documentAddresses } from './document-addresses.ts';

/**
 * The entries of the package, each one file with everything in it but the peers, so that an app installs nothing else.
 */
const ENTRY = {
  absWorkingDir: path.join(import.meta.dirname, '..'),
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  bundle: true,
  mainFields: ['module', 'main'],
  external: Object.keys(manifest.peerDependencies),
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  outdir: 'dist/packaging',
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

/** The clients of AWS are loaded on demand by a function of Node that the bundler does not follow. It follows its own `require`. */
const clientsOnDemand: Plugin = {
  name: 'clients-on-demand',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]bin[\\/]ctl[\\/]aws\.ts$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8');
      const contents = text
        .replace('const load = createRequire(import.meta.filename);\n', '')
        .replace(/\bload\('/g, "require('");
      return { contents, loader: 'ts' };
    });
  },
};

/** Code that apps import stays readable. The command is minified, because this saves a third of its size. */
export const ENTRY_BUNDLES = [
  { ...ENTRY, entryPoints: ['packaging/construct.ts'], plugins: [documentAddresses], sourcemap: true },
  {
    ...ENTRY,
    entryPoints: ['packaging/connectorctl.ts'],
    plugins: [clientsOnDemand, documentAddresses],
    minifyWhitespace: true,
    minifySyntax: true,
  },
] as const satisfies readonly BuildOptions[];
