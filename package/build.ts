/**
 * Compiles what the package has into dist/, and bundles the function: `npm run build`, which `npm pack` runs too.
 *
 * CommonJS, as construct libraries are: an app that `cdk init` made is CommonJS, and its jest cannot load ES modules. esbuild compiles,
 * because TypeScript refuses `import.meta` in CommonJS. TypeScript checks and declares.
 */
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { declare } from './declarations.ts';
import { FUNCTION_BUNDLE } from './function-bundle.ts';
import { noticesText } from './third-party-notices.ts';

const ROOT = path.join(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist');
/** Read at run time, beside the code that reads them. */
const DATA = 'lib/{ocsf/*.json,query/*.sql,query/views/*.sql}';

const COMPILED: BuildOptions = {
  absWorkingDir: ROOT,
  platform: 'node',
  format: 'cjs',
  // The lowest version that is named.
  target: `node${/\d[\d.]*/.exec(manifest.engines.node)![0]}`,
  packages: 'external',
  logLevel: 'warning',
};

/** The three entries and every module that one of them loads. */
async function modules(): Promise<string[]> {
  const entryPoints = ['construct', 'client', 'connectorctl'].map(name => `package/${name}.ts`);
  const { metafile } = await build({
    ...COMPILED,
    entryPoints,
    bundle: true,
    write: false,
    metafile: true,
    outdir: DIST,
    define: PLACE,
  });
  return Object.keys(metafile.inputs).filter(file => file.endsWith('.ts'));
}

const PLACE = { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' };

/** Each module stays a file of its own, so its imports become those of the compiled files. */
const perFile: Plugin = {
  name: 'per-file',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path: target, resolveDir, kind }) => {
      if (kind === 'entry-point') return undefined;
      const file = path.resolve(resolveDir, target);
      const isCompiled = file.endsWith('.ts');
      const from = path.join(DIST, path.relative(ROOT, resolveDir));
      const to = isCompiled ? path.join(DIST, path.relative(ROOT, file)) : file;
      const relative = path.relative(from, to).replace(/\.ts$/, '.js');
      return { path: relative.startsWith('.') ? relative : `./${relative}`, external: true };
    });
  },
};

async function compile(): Promise<void> {
  await build({
    ...COMPILED,
    entryPoints: await modules(),
    outbase: ROOT,
    outdir: DIST,
    bundle: true,
    plugins: [perFile],
    define: PLACE,
    sourcemap: true,
    sourcesContent: true,
  });
  // The manifest of the package says that its sources are ES modules.
  writeFileSync(path.join(DIST, 'package.json'), '{ "type": "commonjs" }\n');
  for (const file of globSync(DATA, { cwd: ROOT })) cpSync(path.join(ROOT, file), path.join(DIST, file));
}

async function bundleFunction(): Promise<void> {
  const { metafile } = await build(FUNCTION_BUNDLE);
  writeFileSync(path.join(DIST, 'THIRD-PARTY-NOTICES.txt'), noticesText(metafile, ROOT));
}

rmSync(DIST, { recursive: true, force: true });
declare(DIST);
await compile();
await bundleFunction();
