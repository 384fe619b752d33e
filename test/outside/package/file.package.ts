/** The packed file, without an app. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../../documents/pages.ts';
import { command } from '../../support/parts/command.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { part } from '../running.ts';
import { type Packed, pack } from './pack.ts';
import { succeed } from './run.ts';

let folder: TemporaryFolder;
let packed: Packed;
beforeAll(async () => {
  folder = await temporaryFolder('package-');
  packed = await pack(folder.path);
});
afterAll(async () => folder[Symbol.asyncDispose]());

test('the packed file has no tests, no local parts and no sources that Node would run', async () => {
  const declarations = /^(lambda|lib|packaging)\/.*\.d\.ts$/;
  expect(packed.files.filter(file => !declarations.test(file)).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.txt',
    'function/index.mjs',
    'function/index.mjs.map',
    'package.json',
    'packaging/connectorctl.js',
    'packaging/construct.js',
    'packaging/construct.js.map',
  ]);
  const readme = await command('tar', ['-xzOf', packed.file, 'package/README.md'], 60);
  expect(readme).toBe(readFileSync(path.join(ROOT, 'packaging', 'README.md'), 'utf8').trim());
});

test('the packed file has no problem that publint knows', async () => {
  const place = part('publint');
  const { stdout } = await succeed('npx', ['--no', 'publint', 'run', packed.file, '--strict'], place);
  expect(stdout).toContain('All good!');
});

test('every kind of module resolution finds types and code in the packed file', async () => {
  const args = ['--no', 'attw', packed.file, '--no-color', '--no-emoji', '--format', 'ascii'];
  const { stdout } = await succeed('npx', args, part('attw'));
  expect(stdout).toContain('No problems found');
});

test('the same sources in another folder give the same bytes', async () => {
  const copy = path.join(folder.path, 'somewhere', 'else');
  const listed = await command('git', ['ls-files', '-co', '--exclude-standard'], 60);
  for (const file of listed.split('\n')) {
    if (existsSync(path.join(ROOT, file))) cpSync(path.join(ROOT, file), path.join(copy, file));
  }
  // Hard links where they are possible, because esbuild follows symbolic ones to where they lead.
  const copying = 'cp -al "$0" "$1" 2>/dev/null || cp -a "$0" "$1"';
  await succeed('sh', ['-c', copying, realpathSync(path.join(ROOT, 'node_modules')), copy], { folder: ROOT });
  await succeed('npm', ['run', 'build', '--loglevel=error'], { folder: copy });
  expect(hashesIn(path.join(copy, 'dist'))).toEqual(hashesIn(path.join(ROOT, 'dist')));
});

function hashesIn(root: string): Record<string, string> {
  const files = globSync('**', { cwd: root }).filter(file => statSync(path.join(root, file)).isFile());
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  return Object.fromEntries(files.sort().map(file => [file, hash(path.join(root, file))]));
}
