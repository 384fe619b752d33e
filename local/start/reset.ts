/** `--reset`: deletes the files that earlier runs have written, and nothing else. */
import { chmod, lstat, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import { lockDirectory } from '../aws/directory-lock.ts';
import { StartProblemsError } from './options.ts';
import { isSourceText, LOG_FILE, makeFolder, SOURCE_FILE } from './source.ts';

/**
 * The entries that runs write, in the order of their deletion. The source comes last, because it
 * marks the folder as the folder of a run. Therefore a reset that was killed can be repeated.
 */
const ENTRIES = [
  { name: 'dynamodb', isFolder: true },
  { name: 's3', isFolder: true },
  { name: LOG_FILE, isFolder: false },
  { name: `${SOURCE_FILE}.new`, isFolder: false },
  { name: SOURCE_FILE, isFolder: false },
];

/**
 * Deletes the entries that runs have written to the folder, and makes the folder private. Links are
 * neither followed nor deleted.
 *
 * @throws StartProblemsError before anything is deleted, if something in these entries was not
 * written by a run
 * @throws DirectoryInUseError
 */
export async function resetFolder(folder: string): Promise<void> {
  for (const path of [dirname(folder), folder]) {
    if ((await statsOf(path))?.isSymbolicLink())
      throw refusal(`${terminalLine(path)} is a link: choose the folder behind it with --state-folder`);
  }

  await makeFolder(folder);
  const unlock = await lockDirectory(folder);
  try {
    const foreign = await foreignEntry(folder);
    if (foreign !== undefined)
      throw refusal(`${terminalLine(foreign)} was not written by a run: delete it yourself, or choose another --name`);
    await chmod(folder, 0o700);
    for (const { name } of ENTRIES) await rm(join(folder, name), { recursive: true, force: true });
  } finally {
    await unlock();
  }
}

function refusal(reason: string): StartProblemsError {
  return new StartProblemsError([`--reset deletes only what a run has written, and ${reason}`]);
}

/** Finds the first path that a reset would delete although no run has written it. */
async function foreignEntry(folder: string): Promise<string | undefined> {
  const present: string[] = [];
  for (const { name, isFolder } of ENTRIES) {
    const path = join(folder, name);
    const stats = await statsOf(path);
    if (stats === undefined) continue;

    if (isFolder ? !stats.isDirectory() : !stats.isFile()) return path;
    const special = isFolder ? await specialFileIn(path) : undefined;
    if (special !== undefined) return special;
    present.push(path);
  }

  const [first] = present;
  if (first === undefined) return undefined;
  const source = join(folder, SOURCE_FILE);
  if (!present.includes(source)) return first;
  return isSourceText(await readFile(source, 'utf8')) ? undefined : source;
}

/**
 * Finds a link, or another entry that is neither a file nor a folder, at any depth. Runs write no
 * such entries.
 */
async function specialFileIn(folder: string): Promise<string | undefined> {
  // `withFileTypes` lists links without following them.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const special = entries.find(entry => !entry.isFile() && !entry.isDirectory());
  return special && join(special.parentPath, special.name);
}

/** Reads the stats of a path without following a link. */
async function statsOf(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    return undefined;
  });
}
