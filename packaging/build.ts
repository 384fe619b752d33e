/**
 * Makes the package in dist/, the folder that is packed and published: bundles, types, manifest and
 * documents.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { writeDeclarations } from './declarations.ts';
import { ENTRY_BUNDLES } from './entry-bundles.ts';
import { FUNCTION_BUNDLE } from './function-bundle.ts';
import { MANIFEST } from './manifest.ts';
import { noticesText } from './third-party-notices.ts';

const ROOT = path.join(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist');

rmSync(DIST, { recursive: true, force: true });
writeDeclarations(DIST);
const built = await Promise.all([FUNCTION_BUNDLE, ...ENTRY_BUNDLES].map(options => build(options)));

const metafiles = built.map(({ metafile }) => metafile!);
writeFileSync(path.join(DIST, 'THIRD-PARTY-NOTICES.txt'), noticesText(metafiles, ROOT));
writeFileSync(path.join(DIST, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`);
cpSync(path.join(import.meta.dirname, 'README.md'), path.join(DIST, 'README.md'));
for (const file of ['CHANGELOG.md', 'LICENSE']) cpSync(path.join(ROOT, file), path.join(DIST, file));
