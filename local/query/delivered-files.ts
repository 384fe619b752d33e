import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { QueryRequestError } from './errors.ts';

/** Folders of a bucket that hold other things than events. */
const NOT_EVENTS = new Set(['delivery-errors', 'dead-letter']);

/** Absolute paths of the event files below a folder, sorted. @throws QueryRequestError when there are none */
export async function deliveredFiles(folder: string): Promise<string[]> {
  const root = resolve(folder);
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory()) throw new QueryRequestError(`There is no folder ${root}. ${WHAT_TO_DO}`);
  const files = (await gzippedFiles(root)).filter(isOfEvents(root));
  if (files.length > 0) return files.sort();
  throw new QueryRequestError(`There are no .gz files of events below ${root}. ${WHAT_TO_DO}`);
}

/** `.json.gz`, or `.gz` alone where Firehose keeps lines beside Parquet. */
async function gzippedFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile() && entry.name.endsWith('.gz'));
  return files.map(entry => join(entry.parentPath, entry.name));
}

function isOfEvents(root: string): (file: string) => boolean {
  return file =>
    !relative(root, file)
      .split(sep)
      .some(part => NOT_EVENTS.has(part));
}

const WHAT_TO_DO = 'Run npm start first, or name the folder of a copy with --folder.';
