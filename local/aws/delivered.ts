import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';

/** An event as it was delivered. `row` is the text of the row, digit for digit; nothing has parsed it. */
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
  /** Absent on events that carry no row. */
  readonly row?: string;
}

/** What was delivered is not what the contract of the events says. */
export class DeliveredDataError extends Error {
  override readonly name = 'DeliveredDataError';
}

/** Every event below a folder of `.json.gz` objects, in the order of the objects' names, streamed. */
export async function* deliveredEvents(folder: string): AsyncGenerator<DeliveredEvent> {
  for await (const { line, place } of deliveredLines(folder)) yield parseEvent(line, place);
}

/** Every line below a folder of `.json.gz` objects, without its line break, and where it stands. */
export async function* deliveredLines(folder: string): AsyncGenerator<{ line: string; place: string }> {
  for (const file of await deliveredObjects(folder)) {
    let number = 0;
    for await (const line of linesOf(file)) {
      number += 1;
      yield { line, place: `${file}:${number}` };
    }
  }
}

/** Paths of the delivered objects below a folder, sorted; none when the folder is not there. */
export async function deliveredObjects(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing);
  const files = entries.filter(entry => entry.isFile() && entry.name.endsWith('.json.gz'));
  return files.map(entry => join(entry.parentPath, entry.name)).sort();
}

/** Cuts the row out of an event's line, where it is the last member, and parses the rest. */
export function parseEvent(line: string, place: string): DeliveredEvent {
  // Inside a string a quote is escaped, and the members before the row hold no objects: the first match is the row's name.
  const start = line.indexOf(ROW_MEMBER);
  const head = start < 0 ? line : `${line.slice(0, start)}}`;
  const event = parseObject(head, place);
  for (const name of ['event_id', 'sequence', 'kind', 'stream', 'id']) {
    if (typeof event[name] !== 'string') throw new DeliveredDataError(`${place}: the event has no string ${name}.`);
  }
  const row = start < 0 ? {} : { row: line.slice(start + ROW_MEMBER.length, -1) };
  return { ...(event as unknown as DeliveredEvent), ...row };
}

const ROW_MEMBER = ',"row":';
const LINE_FEED = 0x0a;

function parseObject(text: string, place: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which must not get into a message.
    throw new DeliveredDataError(`${place}: the line is not one JSON object.`);
  }
}

/** Split at line feeds alone: `readline` would also cut at U+2028, which may stand in a JSON string as it is. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const content = createGunzip();
  source.on('error', error => content.destroy(error)).pipe(content);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED, start)) {
      yield rest.toString('utf8', start, end);
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
  if (rest.length > 0) throw new DeliveredDataError(`${file}: the last line has no line feed.`);
}

function ifMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
