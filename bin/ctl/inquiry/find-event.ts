/** Looks an event up in the objects that were delivered about when it was made. */

import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { GetObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import type { Aws } from '../aws.ts';
import { type DeliveryPlace, hourPrefixes } from './delivery-place.ts';
import { needlesOf, type ReadEvent, readEvent } from './event-line.ts';

export interface EventQuery {
  readonly stream: string;
  readonly id: string;
  readonly sequence: string;
  /** ISO 8601; empty when it was not recorded. */
  readonly forwardedAt: string;
}

export type FoundEvent =
  | { readonly event: ReadEvent /** `s3://bucket/key`. */; readonly place: string }
  | { readonly notFound: string };

export interface Bounds {
  /** Minutes after the event was made in which its object may begin. */
  readonly minutes: number;
  readonly objects: number;
  /** As they lie in the bucket. */
  readonly bytes: number;
}

/** Firehose gathers for 15 minutes at most. */
export const BOUNDS: Bounds = { minutes: 20, objects: 500, bytes: 256 * 2 ** 20 };
/** Of the function's clock and of S3's. */
const SKEW_MILLISECONDS = 60_000;

/** @throws Error of the SDK */
export async function findEvent(
  aws: Aws,
  place: DeliveryPlace,
  query: EventQuery,
  bounds: Bounds = BOUNDS,
): Promise<FoundEvent> {
  if ('elsewhere' in place) return { notFound: place.elsewhere };
  const made = Date.parse(query.forwardedAt);
  if (Number.isNaN(made)) return { notFound: 'an earlier version sent it, which did not record when' };
  const objects = await candidates(aws, place, query.stream, made, bounds);
  let bytes = 0;
  for (const [at, { key, size }] of objects.entries()) {
    bytes += size;
    if (at >= bounds.objects || bytes > bounds.bytes) {
      return { notFound: `it is not in the first ${at} of ${objects.length} objects, and no more are read` };
    }
    const event = await searchObject(aws, place.bucket, key, query);
    if (event) return { event, place: `s3://${place.bucket}/${key}` };
  }
  const span = `from ${query.forwardedAt} to ${bounds.minutes} minutes later`;
  return { notFound: `it is in none of the ${objects.length} objects delivered ${span}; Firehose may try for longer` };
}

interface Candidate {
  readonly key: string;
  readonly size: number;
  readonly modified: number;
}

/** Those that were written soon after the event was made come first. */
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

async function searchObject(aws: Aws, bucket: string, key: string, query: EventQuery): Promise<ReadEvent | undefined> {
  const { Body: body } = await aws.s3().send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  const source = body as Readable;
  const needles = needlesOf(query.sequence);
  const content = key.endsWith('.gz') ? pipeline(source, createGunzip(), () => undefined) : source;
  for await (const line of linesOf(content)) {
    if (!needles.some(needle => line.includes(needle))) continue;
    const event = readEvent(line.toString());
    if (event && event.stream === query.stream && event.id === query.id && event.sequence === query.sequence) {
      source.destroy();
      return event;
    }
  }
  return undefined;
}

const LINE_FEED = 0x0a;

/** Split at line feeds alone: a JSON string may hold other line ends as they are. */
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
