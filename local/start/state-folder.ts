import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { lockDirectory } from '../aws/directory-lock.ts';
import { Source } from './source.ts';
import { StartFaultsError } from './start-request.ts';

const SOURCE_FILE = 'source.json';
const LOG_FILE = 'function.log';
/** What a run leaves in its folder, and so all that a reset may delete. */
const OWN = [SOURCE_FILE, LOG_FILE, 'dynamodb', 's3'];

export function logFile(folder: string): string {
  return join(folder, LOG_FILE);
}

/** @returns nothing before the first run. @throws StartFaultsError when the file is none that a run wrote */
export async function readSource(folder: string): Promise<Source | undefined> {
  const file = join(folder, SOURCE_FILE);
  const text = await readFile(file, 'utf8').catch(ifMissing);
  if (text === undefined) return undefined;
  const source = v.safeParse(v.pipe(v.string(), v.parseJson(), Source), text);
  if (source.success) return source.output;
  throw new StartFaultsError([`${file} is none that this version wrote: start anew with --reset`]);
}

/** Makes the folder for its owner alone: rows of a real tenant come to lie in it. One that is there keeps its rights. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/** Whole or not at all: half a file would cost the state its source. */
export async function writeSource(folder: string, source: Source): Promise<void> {
  const file = join(folder, SOURCE_FILE);
  await writeFile(`${file}.new`, `${JSON.stringify(source, undefined, 2)}\n`);
  await rename(`${file}.new`, file);
}

/** Deletes what runs have left in the folder, and closes it to others. @throws DirectoryInUseError */
export async function resetFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  const unlock = await lockDirectory(folder);
  try {
    await chmod(folder, 0o700);
    for (const name of OWN) await rm(join(folder, name), { recursive: true, force: true });
  } finally {
    await unlock();
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
