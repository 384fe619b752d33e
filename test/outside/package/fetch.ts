/** Packages that the tests need and the project does not, installed once into a cache. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fetchOnce } from '../../support/parts/cache.ts';
import { PARTS } from './parts.ts';
import { succeed } from './run.ts';

/** @returns the folder with its `node_modules`. @throws Error */
export async function fetchPackage(name: string, version: string, cache: string): Promise<string> {
  const { folder } = await fetchOnce(cache, `${name.replaceAll(/[@/]/g, '-')}-${version}`, async staging => {
    // The package `node` comes by install scripts, its own and that of its binary.
    const allowScripts = name === 'node' ? { node: true } : {};
    await writeFile(path.join(staging, 'package.json'), JSON.stringify({ private: true, allowScripts }));
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await succeed('npm', ['install', ...quiet, `${name}@${version}`], { folder: staging });
  });
  return folder;
}

/** @returns the folder of a `node` of that version */
export async function fetchNode(version: string, cache: string): Promise<string> {
  const folder = await fetchPackage('node', version, cache);
  const bin = path.join(folder, 'node_modules', 'node', 'bin');
  const { output } = await succeed(path.join(bin, 'node'), ['--version'], { folder });
  if (output.trim() !== `v${version}`) throw new Error(`The package node@${version} has Node ${output.trim()}`);
  return bin;
}

/** @returns the program. @throws Error without Go */
export async function fetchProgram(name: 'actionlint' | 'hclfmt', cache: string): Promise<string> {
  const { module, version } = PARTS[name];
  const { folder } = await fetchOnce(cache, `${name}-${version}`, async staging => {
    await succeed('env', [`GOBIN=${staging}`, 'go', 'install', `${module}@${version}`], { folder: staging });
  });
  return path.join(folder, name);
}
