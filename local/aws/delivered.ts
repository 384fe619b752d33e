import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';

/** An event as it was delivered. `row` is the unparsed text of the row, digit for digit. */
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

/** Delivered data that do not follow the contract of the events. */
export class DeliveredDataError extends Error {
  override readonly name = 'DeliveredDataError';
}

/** Every event below a folder of `.json.gz` objects, in the order of the objects' names, streamed. */
export async function* deliveredEvents(folder: string): AsyncGenerator<DeliveredEvent> {
  for await (const { line, place } of deliveredLines(folder)) yield parseEvent(line, place);
}

/** Every line below a folder of `.json.gz` objects, without its line break, and its place. */
export async function* deliveredLines(folder: string): AsyncGenerator<{ line: string; place: string }> {
  for (const file of await deliveredObjects(folder)) {
    let number = 0;
    for await (const line of linesOf(file)) {
      number += 1;
      yield { line, place: `${file}:${number}` };
    }
  }
}

/** Sorted paths of the delivered objects below a folder; none when the folder does not exist. */
export async function deliveredObjects(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing);
  const files = entries.filter(entry => entry.isFile() && entry.name.endsWith('.json.gz'));
  return files.map(entry => join(entry.parentPath, entry.name)).sort();
}

/** Cuts the row out of an event's line, where it is the last member, and parses the rest. */
export function parseEvent(line: string, place: string): DeliveredEvent {
  // A quote inside a string is escaped, and no member before the row holds an object, so the first match is the row's name.
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

/** Splits at line feeds only. `readline` would also split at U+2028, which JSON strings may contain. */
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

/** The stream of a delivered line, in either format. @throws DeliveredDataError */
export function deliveredStream(line: string, place: string): string {
  if (!line.startsWith('{"class_uid":')) return parseEvent(line, place).stream;
  try {
    return JSON.parse(line).metadata.log_name;
  } catch {
    // The parser's own message quotes the text, which must not get into a message.
    throw new DeliveredDataError(`${place}: the line is not one OCSF event.`);
  }
}

type Ordered = Pick<DeliveredEvent, 'stream' | 'id' | 'sequence'>;

/** The last event of each id, by stream. */
export type Latest<E extends Ordered> = Map<string, Map<string, E>>;

/**
 * The SIEM's rule: of all events of one (`stream`, `id`), the one with the greatest `sequence` is the truth. Sequences have
 * a fixed width, so they compare as text. The order of arrival does not matter.
 */
export async function latest<E extends Ordered>(events: Iterable<E> | AsyncIterable<E>): Promise<Latest<E>> {
  const streams: Latest<E> = new Map();
  for await (const event of events) {
    const ids = streams.get(event.stream) ?? new Map<string, E>();
    streams.set(event.stream, ids);
    const known = ids.get(event.id);
    if (!known || event.sequence > known.sequence) ids.set(event.id, event);
  }
  return streams;
}
