import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { documentAddressesPlugin } from './document-addresses.ts';

/**
 * Options for the entries of the package. Each entry is one file that contains everything except
 * the peer dependencies, so that an app installs nothing else. The format is CommonJS, because the
 * jest of an app that `cdk init` makes cannot load ES modules, and it is the only format, because
 * two formats would be two copies of each class.
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

/**
 * Makes the bundler find the clients of AWS. They are loaded on demand by a function of Node that
 * the bundler does not follow, but the bundler follows its own `require`.
 */
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

/**
 * The code that apps import stays readable. The command is minified, because that saves a third of
 * its size.
 */
export const ENTRY_BUNDLES = [
  { ...ENTRY, entryPoints: ['packaging/construct.ts'], plugins: [documentAddressesPlugin], sourcemap: true },
  {
    ...ENTRY,
    entryPoints: ['packaging/connectorctl.ts'],
    plugins: [clientsOnDemand, documentAddressesPlugin],
    minifyWhitespace: true,
    minifySyntax: true,
  },
] as const satisfies readonly BuildOptions[];
