import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** An event that was delivered. `row` is the unparsed text of the row, digit for digit. */
export interface DeliveredEvent {
  readonly event_id: string;
  readonly sequence: string;
  readonly kind: string;
  readonly stream: string;
  readonly id: string;
  readonly time?: string;
  readonly stream_position?: string | null;
  readonly connector: string;
  readonly forwarded_at: string;
  readonly asset_id?: string;
  /** Text of the row. Undefined for an event without a row. */
  readonly row?: string;
}

/** Sorted paths of the delivered objects below a folder. Empty if the folder does not exist. */
export async function deliveredObjects(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing);
  const files = entries.filter(entry => entry.isFile() && entry.name.endsWith('.json.gz'));
  return files.map(entry => join(entry.parentPath, entry.name)).sort();
}

function ifMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** Reads the lines of delivered objects, without line breaks, object by object. */
export async function* readLines(files: readonly string[]): AsyncGenerator<string> {
  for (const file of files)
    yield* gunzipSync(await readFile(file))
      .toString()
      .split('\n')
      .slice(0, -1);
}

/** Parses an event. Its row, which is the last member, is cut out of the line and not parsed. */
export function parseEvent(line: string): DeliveredEvent {
  // A quote inside a string is escaped, and no member before the row contains an object, so the
  // first match is the name of the row's member.
  const start = line.indexOf(ROW_MEMBER);
  if (start < 0) return JSON.parse(line);
  return { ...JSON.parse(`${line.slice(0, start)}}`), row: line.slice(start + ROW_MEMBER.length, -1) };
}

const ROW_MEMBER = ',"row":';
