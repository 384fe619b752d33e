/** Finds a delivered event in the bucket, in the objects of the hours after it was sent. */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DescribeDeliveryStreamCommand, type DestinationDescription } from '@aws-sdk/client-firehose';
import { GetObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import type { Aws } from '../../aws.ts';
import type { Deployment } from '../../deployment.ts';
import { isCutOff } from '../../errors.ts';

export interface EventQuery {
  readonly stream: string;
  readonly id: string;
  readonly sequence: string;
  /** ISO 8601, empty if not recorded. */
  readonly forwardedAt: string;
}

export type FoundEvent =
  | { readonly event: ReadEvent /** `s3://bucket/key`. */; readonly place: string }
  | { readonly notFound: string };

export interface Bounds {
  /** Minutes after the event in which its object may start. */
  readonly minutes: number;
  readonly objects: number;
  /** Compressed. */
  readonly bytes: number;
}

/** Firehose buffers for at most 15 minutes. */
export const BOUNDS: Bounds = { minutes: 20, objects: 500, bytes: 256 * 2 ** 20 };
/** Between the function's clock and S3's. */
const SKEW_MILLISECONDS = 60_000;

/** @throws Error of the SDK */
export async function findEvent(
  aws: Aws,
  place: DeliveryPlace,
  query: EventQuery,
  bounds: Bounds = BOUNDS,
): Promise<FoundEvent> {
  const { stream, id, sequence } = query;
  const found = await findLine(aws, place, { ...query, needles: needlesOf(sequence) }, bounds, event => {
    return event.stream === stream && event.id === id && event.sequence === sequence;
  });
  return 'notFound' in found ? found : { event: found.event, place: found.place };
}

export type FoundLine =
  | { readonly event: ReadEvent; readonly line: string; readonly place: string }
  | { readonly notFound: string };

export interface LineQuery extends Pick<EventQuery, 'stream' | 'forwardedAt'> {
  /** The line contains one of these. */
  readonly needles: readonly string[];
}

/** The first matching line. @throws Error of the SDK */
export async function findLine(
  aws: Aws,
  place: DeliveryPlace,
  query: LineQuery,
  bounds: Bounds,
  isMeant: (event: ReadEvent) => boolean,
): Promise<FoundLine> {
  if ('elsewhere' in place) return { notFound: place.elsewhere };
  const made = Date.parse(query.forwardedAt);
  if (Number.isNaN(made)) return { notFound: 'an earlier version sent it and did not record the time' };
  const objects = await candidates(aws, place, query.stream, made, bounds);
  let bytes = 0;
  for (const [at, { key, size }] of objects.entries()) {
    bytes += size;
    if (at >= bounds.objects || bytes > bounds.bytes) {
      return { notFound: `it is not in the first ${at} of ${objects.length} objects, and the rest is not read` };
    }
    const found = await searchObject(aws, place.bucket, key, query, isMeant);
    if (found) return { ...found, place: `s3://${place.bucket}/${key}` };
  }
  const span = `from ${query.forwardedAt} to ${bounds.minutes} minutes later`;
  return {
    notFound: `it is in none of the ${objects.length} objects delivered ${span}; Firehose may retry for longer`,
  };
}

interface Candidate {
  readonly key: string;
  readonly size: number;
  readonly modified: number;
}

/** Objects written soon after the event come first. */
async function candidates(
  aws: Aws,
  place: { readonly bucket: string; readonly prefix: string },
  stream: string,
  made: number,
  { minutes }: Bounds,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const Prefix of hourPrefixes(place.prefix, stream, made, made + minutes * 60_000)) {
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: aws.s3() },
      { Bucket: place.bucket, Prefix },
    )) {
      found.push(
        ...Contents.map(({ Key: key = '', Size: size = 0, LastModified: modified }) => {
          return { key, size, modified: modified?.getTime() ?? 0 };
        }),
      );
    }
  }
  const isEarly = ({ modified }: Candidate) => modified < made - SKEW_MILLISECONDS;
  return found.sort((one, other) => Number(isEarly(one)) - Number(isEarly(other)) || one.modified - other.modified);
}

async function searchObject(
  aws: Aws,
  bucket: string,
  key: string,
  { needles }: LineQuery,
  isMeant: (event: ReadEvent) => boolean,
): Promise<{ readonly event: ReadEvent; readonly line: string } | undefined> {
  for await (const bytes of objectLines(aws, bucket, key)) {
    if (!needles.some(needle => bytes.includes(needle))) continue;
    const line = bytes.toString();
    const event = readEvent(line);
    if (event && isMeant(event)) return { event, line };
  }
  return undefined;
}

/** The lines of an object. A reader that stops early closes the connection. */
export async function* objectLines(aws: Aws, bucket: string, key: string): AsyncGenerator<Buffer> {
  const { Body: body } = await aws.s3().send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  const source = body as Readable;
  try {
    yield* linesOf(key.endsWith('.gz') ? pipeline(source, createGunzip(), () => undefined) : source);
  } finally {
    source.destroy();
  }
}

const LINE_FEED = 0x0a;

/** Splits at line feeds only: a JSON string may contain other line separators. */
async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
  if (parts.some(part => part.length > 0)) yield Buffer.concat(parts);
}

/** Location of delivered events: a bucket with a prefix per hour. */
export type DeliveryPlace =
  | { readonly bucket: string /** With Firehose's expressions. */; readonly prefix: string }
  /** Why events cannot be found. */
  | { readonly elsewhere: string };

const HOUR_MILLISECONDS = 3_600_000;
const DEFAULT_TIME = '!{timestamp:yyyy/MM/dd/HH}/';

export async function deliveryPlace(aws: Aws, { deliveryStream, bucket }: Deployment): Promise<DeliveryPlace> {
  try {
    const command = new DescribeDeliveryStreamCommand({ DeliveryStreamName: deliveryStream });
    const { DeliveryStreamDescription: description } = await aws.firehose().send(command);
    return placeOf(description?.Destinations?.[0]);
  } catch (error) {
    if (isCutOff(error)) throw error;
    // Without access to the stream, try the stack's own bucket.
    return { bucket, prefix: PREFIXES.events };
  }
}

export function placeOf(destination: DestinationDescription | undefined): DeliveryPlace {
  const s3 = destination?.ExtendedS3DestinationDescription;
  if (s3?.DataFormatConversionConfiguration?.Enabled) {
    return { elsewhere: 'the delivery stream converts events to Parquet, which this command does not read' };
  }
  if (s3?.BucketARN) return { bucket: s3.BucketARN.replace(/^arn:[^:]*:s3:::/, ''), prefix: s3.Prefix ?? '' };
  const name = Object.keys(destination ?? {}).find(each => each.endsWith('DestinationDescription'));
  const words = name?.replace('DestinationDescription', '') || 'something else';
  return { elsewhere: `the delivery stream delivers to ${words}, not to S3` };
}

/** The prefixes from `start` to `end`, oldest first. Firehose uses the UTC hour of arrival. */
export function hourPrefixes(prefix: string, stream: string, start: number, end: number): string[] {
  const whole = prefix.includes('!{timestamp:') ? prefix : `${prefix}${DEFAULT_TIME}`;
  const own = whole.replaceAll('!{partitionKeyFromQuery:stream}', stream);
  const prefixes: string[] = [];
  for (let at = Math.floor(start / HOUR_MILLISECONDS) * HOUR_MILLISECONDS; at <= end; at += HOUR_MILLISECONDS) {
    prefixes.push(own.replaceAll(/!\{timestamp:([^}]*)\}/g, (_whole, form: string) => timeText(form, at)));
  }
  return [...new Set(prefixes)];
}

function timeText(form: string, at: number): string {
  const [year = '', month = '', day = '', hour = ''] = new Date(at).toISOString().split(/[-T:]/);
  const parts: Readonly<Record<string, string>> = { yyyy: year, MM: month, dd: day, HH: hour };
  return form.replaceAll(/yyyy|MM|dd|HH/g, name => parts[name] ?? name);
}
/** A delivered line, in the connector's envelope or in OCSF. The row stays text. */
export interface ReadEvent {
  readonly connector: string;
  readonly stream: string;
  readonly id: string;
  readonly sequence: string;
  /** `kind` of the envelope, class of OCSF. */
  readonly kind: string;
  /** Undefined for withdrawals and oversize events. */
  readonly row: string | undefined;
}

const ROW_MEMBER = ',"row":';
const SEQUENCE_DIGITS = 20;

/** A line with this sequence contains one of these. */
export function needlesOf(sequence: string): readonly string[] {
  return [`"sequence":"${sequence}"`, `"sequence":${sequence.replace(/^0+(?=\d)/, '')},`];
}

/** @returns undefined for a line that is not an event */
export function readEvent(line: string): ReadEvent | undefined {
  return line.startsWith('{"class_uid":') ? readOcsf(line) : readEnvelope(line);
}

/** No member before the row is an object, so the first match is the row. */
function readEnvelope(line: string): ReadEvent | undefined {
  const at = line.indexOf(ROW_MEMBER);
  const head = parsed(at < 0 ? line : `${line.slice(0, at)}}`);
  const { connector, stream, id, sequence, kind } = head ?? {};
  if (typeof stream !== 'string' || typeof id !== 'string' || typeof sequence !== 'string') return undefined;
  const row = at < 0 ? undefined : line.slice(at + ROW_MEMBER.length, -1);
  return { connector: String(connector), stream, id, sequence, kind: String(kind), row };
}

/** The sequence exceeds a JavaScript number, so the digits are read from the text. */
function readOcsf(line: string): ReadEvent | undefined {
  const event = parsed(line);
  const metadata = event?.['metadata'] as Record<string, unknown> | undefined;
  const digits = /"sequence":(\d+)/.exec(line)?.[1];
  const { tenant_uid: connector, log_name: stream, original_event_uid: id } = metadata ?? {};
  if (typeof stream !== 'string' || typeof id !== 'string' || !digits) return undefined;
  const row = event?.['raw_data'];
  return {
    connector: String(connector),
    stream,
    id,
    sequence: digits.padStart(SEQUENCE_DIGITS, '0'),
    kind: `class ${event?.['class_uid']}`,
    row: typeof row === 'string' ? row : undefined,
  };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
