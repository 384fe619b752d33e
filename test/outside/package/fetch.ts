/** Packages that the tests need and the project does not, installed once into a cache. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PARTS } from './parts.ts';
import { succeed } from './run.ts';

/** @returns the folder with its `node_modules`. @throws Error */
export async function fetchPackage(name: string, version: string, cache: string): Promise<string> {
  const folder = path.join(cache, `${name.replaceAll(/[@/]/g, '-')}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(path.join(cache, '.fetching-'));
  try {
    // The package `node` comes by install scripts, its own and that of its binary.
    const allowScripts = name === 'node' ? { node: true } : {};
    writeFileSync(path.join(staging, 'package.json'), JSON.stringify({ private: true, allowScripts }));
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await succeed('npm', ['install', ...quiet, `${name}@${version}`], { folder: staging });
    renameSync(staging, folder);
    return folder;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
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
  const folder = path.join(cache, `${name}-${version}`);
  const program = path.join(folder, name);
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    await succeed('env', [`GOBIN=${folder}`, 'go', 'install', `${module}@${version}`], { folder });
  }
  return program;
}
