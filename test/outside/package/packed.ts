/** The packed file, and what is asked of it without an app. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../documents/pages.ts';
import { fetchPackage } from './fetch.ts';
import { PARTS } from './parts.ts';
import { succeed } from './run.ts';

export interface Packed {
  /** The file that `npm pack` made. */
  readonly file: string;
  /** Paths in it. */
  readonly files: readonly string[];
  readonly bytes: number;
  readonly unpackedBytes: number;
}

/** Builds the package and packs it, as the release does. The clone's files stay as they are. */
export async function pack(folder: string): Promise<Packed> {
  const place = { folder: ROOT };
  await succeed('npm', ['run', 'build', '--loglevel=error'], place);
  const args = ['pack', './dist', '--json', '--loglevel=error', '--pack-destination', folder];
  const { stdout } = await succeed('npm', args, place);
  const listed = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [{ filename, files, size, unpackedSize }] = Array.isArray(listed) ? listed : Object.values(listed);
  return {
    file: path.join(folder, filename),
    files: files.map((each: { path: string }) => each.path),
    bytes: size,
    unpackedBytes: unpackedSize,
  };
}

/** No tests, no local parts, no sources that Node would run. */
export function assertContents({ file, files }: Packed): string {
  const read = /^(lambda|lib|packaging)\/.*\.d\.ts$/;
  const others = [
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
  ];
  assert.deepEqual(files.filter(each => !read.test(each)).sort(), others.sort());
  const readme = execFileSync('tar', ['-xzOf', file, 'package/README.md'], { encoding: 'utf8' });
  assert.equal(readme, readFileSync(path.join(ROOT, 'packaging', 'README.md'), 'utf8'));
  return `${files.length} files`;
}

/** The same commit gives the same bytes: a copy of the sources elsewhere is built and compared. */
export async function assertReproducible(folder: string): Promise<string> {
  const copy = path.join(folder, 'somewhere', 'else');
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of listed.trim().split('\n')) {
    const target = path.join(copy, file);
    if (existsSync(path.join(ROOT, file))) cpSync(path.join(ROOT, file), target);
  }
  // Hard links where they are possible, because esbuild follows symbolic ones to where they lead.
  const copying = 'cp -al "$0" "$1" 2>/dev/null || cp -a "$0" "$1"';
  await succeed('sh', ['-c', copying, realpathSync(path.join(ROOT, 'node_modules')), copy], { folder: ROOT });
  await succeed('npm', ['run', 'build', '--loglevel=error'], { folder: copy });
  const [here, there] = [ROOT, copy].map(root => hashesIn(path.join(root, 'dist')));
  assert.deepEqual(there, here);
  return `sha256 of dist ${sha256(JSON.stringify(here))}, of the function's bundle ${here!['function/index.mjs']}`;
}

function hashesIn(folder: string): Record<string, string> {
  const files = globSync('**', { cwd: folder }).filter(file => statSync(path.join(folder, file)).isFile());
  return Object.fromEntries(files.sort().map(file => [file, sha256(readFileSync(path.join(folder, file)))]));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

export async function publint({ file }: Packed, cache: string): Promise<string> {
  const folder = await fetchPackage('publint', PARTS.publint, cache);
  const { stdout: output } = await succeed('npx', ['--no', 'publint', 'run', file, '--strict'], { folder });
  assert.match(output, /All good!/);
  return output.trim().split('\n').at(-1)!;
}

/** Whether every kind of resolution finds types and code. */
export async function attw({ file }: Packed, cache: string): Promise<string> {
  const folder = await fetchPackage('@arethetypeswrong/cli', PARTS.attw, cache);
  const { output } = await succeed('npx', ['--no', 'attw', file, '--no-color', '--no-emoji', '--format', 'ascii'], {
    folder,
  });
  assert.match(output, /No problems found/);
  return 'No problems found';
}
