import { stat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { deliveredObjects } from '../aws/delivered.ts';
import { QueryRequestError } from './errors.ts';

/** Folders of a bucket that hold other things than events. */
const NOT_EVENTS = new Set(['delivery-errors', 'dead-letter', 'athena']);

/** Absolute paths of the event files below a folder. @throws QueryRequestError when there are none */
export async function deliveredFiles(folder: string): Promise<string[]> {
  const root = resolve(folder);
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory()) throw new QueryRequestError(`There is no folder ${root}. ${WHAT_TO_DO}`);
  const files = await deliveredObjects(root);
  const events = files.filter(
    file =>
      !relative(root, file)
        .split(sep)
        .some(part => NOT_EVENTS.has(part)),
  );
  if (events.length > 0) return events;
  throw new QueryRequestError(`There are no .json.gz files of events below ${root}. ${WHAT_TO_DO}`);
}

const WHAT_TO_DO = 'Run npm start first, or name the folder of a copy with --folder.';
