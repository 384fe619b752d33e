/** Bundles what the package has into dist/: the entries, the function, and the types of the entries. `npm run build`, which `npm pack` runs too. */
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { declare } from './declarations.ts';
import { ENTRY_BUNDLES } from './entry-bundles.ts';
import { FUNCTION_BUNDLE } from './function-bundle.ts';
import { noticesText } from './third-party-notices.ts';

const ROOT = path.join(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist');

/** Read at run time, beside the code that reads them: glob by folder. */
const DATA = { 'lib/query': '**/*.sql' };

rmSync(DIST, { recursive: true, force: true });
declare(DIST);
const built = await Promise.all([FUNCTION_BUNDLE, ...ENTRY_BUNDLES].map(options => build(options)));
writeFileSync(
  path.join(DIST, 'THIRD-PARTY-NOTICES.txt'),
  noticesText(
    built.map(({ metafile }) => metafile!),
    ROOT,
  ),
);
// The manifest of the package says that its sources are ES modules.
writeFileSync(path.join(DIST, 'package.json'), '{ "type": "commonjs" }\n');
for (const [folder, files] of Object.entries(DATA)) {
  const from = path.join(ROOT, folder);
  for (const file of globSync(files, { cwd: from })) cpSync(path.join(from, file), path.join(DIST, 'package', file));
}
