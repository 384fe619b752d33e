/** Counts the delivered events by stream and day, to be compared with what the SIEM has. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { listObjects, objectLines, type StoredObject } from '../bucket.ts';
import { help, type Run, STREAM_NAMES } from '../command.ts';
import type { Context } from '../context.ts';
import { type DeliveredEvent, readEvent } from '../delivered-event.ts';
import { deliveryPlace, hourPrefixes } from '../delivery-place.ts';
import { AwsCallError, RefusedError } from '../errors.ts';
import type { Outcome } from '../report.ts';
import { tableText } from '../text.ts';

interface CountsOptions {
  /** `yyyy-mm-dd` in UTC. */
  readonly from?: string;
  readonly to?: string;
  readonly compare?: string;
}

export function countsCommand(run: Run): Command {
  return new Command('counts')
    .description('count the delivered events by stream and day, and compare them with the SIEM')
    .option('--from <day>', 'first day of forwarded_at in UTC, as 2026-11-21 (default: yesterday)', day)
    .option('--to <day>', 'last day (default: the first day)', day)
    .option('--compare <file>', 'CSV of the same counts from the SIEM, with the columns stream, day and events')
    .addHelpText('after', help(MEANING, 'counts', 'counts --from 2026-11-14 --to 2026-11-20 --compare siem.csv'))
    .action(run(countEvents));
}

const MEANING = `Each event counts once. "repeats" are lines with an event_id that was counted already. Rows of another connector in the CSV file
are left out. It reads the objects of these days and of two hours more, so events that Firehose retried for longer are missing,
and so is what another destination has.
Exit status 3: a count differs.`;

const DAY_MILLISECONDS = 86_400_000;
/** Firehose buffers for at most 15 minutes. What it delivers later, after retries, is not counted. */
const AFTER_MILLISECONDS = 2 * 3_600_000;

function day(text: string): string {
  const time = Date.parse(`${text}T00:00:00Z`);
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text) && text.length === 10) return text;
  throw new InvalidArgumentError('It must be a day as 2026-11-21.');
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** @throws RefusedError, AwsCallError */
async function countEvents(context: Context, { from, to, compare }: CountsOptions): Promise<Outcome> {
  const { connector } = await context.deployment();
  const first = from ?? dayOf(context.clock.now() - DAY_MILLISECONDS);
  const last = to ?? first;
  if (last < first) throw new RefusedError(`--to ${last} is before --from ${first}. Nothing was read.`);
  const siem = compare === undefined ? undefined : readSiemCounts(compare, connector);
  const counted = await countObjects(context, first, last);
  return outcomeOf(counted, siem, { first, last });
}

interface Counted {
  readonly ids: DistinctIds;
  newest: string;
}

/** Events by `stream day`. */
type SiemCounts = ReadonlyMap<string, number>;
/** By `stream day`. */
type Counts = Map<string, Counted>;

async function countObjects(context: Context, first: string, last: string): Promise<Counts> {
  const { aws, report } = context;
  const place = await deliveryPlace(aws, await context.deployment());
  if ('elsewhere' in place) {
    throw new RefusedError(
      `Events cannot be counted: ${place.elsewhere}. Nothing was read. Count with the views instead: docs/query.md.`,
    );
  }
  const { bucket, prefix } = place;
  const start = Date.parse(`${first}T00:00:00Z`);
  const end = Date.parse(`${last}T00:00:00Z`) + DAY_MILLISECONDS + AFTER_MILLISECONDS;
  const prefixes = new Set(STREAM_NAMES.flatMap(stream => hourPrefixes(prefix, stream, start, end)));
  const counts: Counts = new Map();
  try {
    const objects: StoredObject[] = [];
    for (const each of prefixes) objects.push(...(await listObjects(aws, bucket, each)));
    const size = objects.reduce((sum, { bytes }) => sum + bytes, 0);
    using progress = report.progress(`Reading ${objects.length} objects, ${megabytes(size)}.`, objects.length);
    for (const [index, { key }] of objects.entries()) {
      for await (const line of objectLines(aws, bucket, key)) count(counts, readEvent(line.toString()), first, last);
      progress.advance(1, `${index + 1} of ${objects.length} objects`);
    }
  } catch (cause) {
    if (context.signal.aborted) throw cause;
    const advice = 'Nothing was changed. You need s3:ListBucket on it and s3:GetObject below events/.';
    throw new AwsCallError(`The bucket ${bucket} could not be read`, advice, cause);
  }
  return counts;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}

/** Counts the lines that the views count. */
function count(counts: Counts, event: DeliveredEvent | undefined, first: string, last: string): void {
  if (!event?.counts) return;
  const { stream, eventId, forwardedAt } = event;
  const made = forwardedAt.slice(0, 10);
  if (made < first || made > last) return;
  const key = `${stream} ${made}`;
  const counted = counts.get(key) ?? { ids: new DistinctIds(), newest: forwardedAt };
  counts.set(key, counted);
  counted.ids.add(eventId);
  if (forwardedAt > counted.newest) counted.newest = forwardedAt;
}

interface Row {
  readonly stream: string;
  readonly day: string;
  readonly events: number;
  readonly repeats: number;
  readonly newest: string | null;
  readonly siem?: number;
}

function outcomeOf(
  counts: Counts,
  siem: SiemCounts | undefined,
  { first, last }: { first: string; last: string },
): Outcome {
  const within = (key: string) => first <= key.split(' ')[1]! && key.split(' ')[1]! <= last;
  const keys = new Set([...counts.keys(), ...[...(siem?.keys() ?? [])].filter(within)]);
  const rows = [...keys].sort().map((key): Row => {
    const [stream = '', made = ''] = key.split(' ');
    const counted = counts.get(key);
    const events = counted?.ids.count() ?? 0;
    const repeats = (counted?.ids.added ?? 0) - events;
    const own = { stream, day: made, events, repeats, newest: counted?.newest ?? null };
    return siem ? { ...own, siem: siem.get(key) ?? 0 } : own;
  });
  const different = rows.filter(({ events, siem: theirs }) => theirs !== undefined && theirs !== events);
  const titles = ['stream', 'day', 'events', 'repeats', 'newest', ...(siem ? ['SIEM', 'difference'] : [])];
  const table = rows.map(({ stream, day: made, events, repeats, newest, siem: theirs }) => [
    ...[stream, made, String(events), String(repeats), newest ?? ''],
    ...(theirs === undefined ? [] : [String(theirs), theirs === events ? '' : signed(theirs - events)]),
  ]);
  const result = siem ? [resultText(different.length)] : [];
  const text = rows.length === 0 ? `No events were delivered from ${first} to ${last}.` : tableText(titles, table);
  const json = { from: first, to: last, counts: rows, ...(siem && { equal: different.length === 0 }) };
  return { text: [text, ...result].join('\n\n'), json, status: different.length > 0 ? 3 : 0 };
}

function signed(difference: number): string {
  return difference > 0 ? `+${difference}` : `−${-difference}`;
}

function resultText(different: number): string {
  if (different === 0) return 'The SIEM has the same events.';
  return (
    'The SIEM has other counts. Fewer: look at the age of its queue with "status", then at its own errors. ' +
    'More: its query counts repeats, or days of another time zone. See docs/siem/completeness.md.'
  );
}

const COLUMNS = ['stream', 'day', 'events'] as const;

/**
 * Counts that a SIEM answered, as it exports them: a CSV file whose first line names the columns.
 *
 * @param connector rows of others are left out where the file has a column `connector` @throws RefusedError
 */
function readSiemCounts(file: string, connector: string): SiemCounts {
  const [head = [], ...rows] = readText(file)
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter(line => line.trim() !== '')
    .map(cellsOf);
  const names = head.map(name => name.toLowerCase());
  const missing = COLUMNS.filter(name => !names.includes(name));
  if (missing.length > 0) {
    throw new RefusedError(
      `${file} has no column ${missing.join(', ')} in its first line. Nothing was compared. Export the result of the query as CSV.`,
    );
  }
  const counts = new Map<string, number>();
  for (const [index, cells] of rows.entries()) {
    const cell = (name: string) => cells[names.indexOf(name)] ?? '';
    if (names.includes('connector') && cell('connector') !== connector) continue;
    const [stream, day, events] = [cell('stream'), cell('day').slice(0, 10), Number(cell('events'))];
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || !Number.isSafeInteger(events) || cell('events') === '') {
      throw new RefusedError(
        `${file}, line ${index + 2}: a day as 2026-11-21 and a whole number were expected. Nothing was compared.`,
      );
    }
    counts.set(`${stream} ${day}`, (counts.get(`${stream} ${day}`) ?? 0) + events);
  }
  return counts;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new RefusedError(`${file} could not be read: ${code}. Nothing was compared.`, { cause });
  }
}

/** Cells may have quotes. None of these values has a comma. */
function cellsOf(line: string): string[] {
  return line.split(',').map(cell => cell.trim().replace(/^"(.*)"$/, '$1'));
}

/**
 * Counts distinct ids in eight bytes each: a large tenant has 15 million events a day, and a Set ends at 16 million. Two ids with the same
 * eight bytes of SHA-256 would count as one; for 15 million the chance is one in a hundred thousand.
 */
export class DistinctIds {
  #hashes = new BigUint64Array(1024);
  #added = 0;

  add(id: string): void {
    if (this.#added === this.#hashes.length) {
      const larger = new BigUint64Array(this.#hashes.length * 2);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#added++] = hash('sha256', id, 'buffer').readBigUInt64LE();
  }

  /** Number of values added, including repeats. */
  get added(): number {
    return this.#added;
  }

  count(): number {
    const sorted = this.#hashes.slice(0, this.#added).sort();
    let distinct = 0;
    for (let at = 0; at < sorted.length; at++) if (at === 0 || sorted[at] !== sorted[at - 1]) distinct += 1;
    return distinct;
  }
}
