/** Finds a delivered event in the bucket, in the objects of the hours after it was sent. */
import type { Aws } from '../../aws.ts';
import { listObjects, objectLines, type StoredObject } from '../../bucket.ts';
import { type DeliveredEvent, readEvent } from '../../delivered-event.ts';
import { type DeliveryPlace, hourPrefixes } from '../../delivery-place.ts';

export interface LineQuery {
  readonly stream: string;
  /** ISO 8601, empty if not recorded. */
  readonly forwardedAt: string;
  /** The line contains this text. */
  readonly needle: string;
  readonly isMeant: (event: DeliveredEvent) => boolean;
  /** Minutes after the event in which its object may start. */
  readonly minutes?: number;
}

export type FoundEvent =
  | { readonly event: DeliveredEvent; readonly line: string /** `s3://bucket/key`. */; readonly place: string }
  | { readonly notFound: string };

/** Firehose buffers for at most 15 minutes. */
const MINUTES = 20;
/** What is read of compressed objects. */
const MOST = { objects: 500, bytes: 256 * 2 ** 20 };
/** Between the function's clock and S3's. */
const SKEW_MILLISECONDS = 60_000;

/** The first matching line. @throws Error of the SDK */
export async function findLine(aws: Aws, place: DeliveryPlace, query: LineQuery): Promise<FoundEvent> {
  const { forwardedAt, needle, isMeant, minutes = MINUTES } = query;
  if ('elsewhere' in place) return { notFound: place.elsewhere };
  const made = Date.parse(forwardedAt);
  if (Number.isNaN(made)) return { notFound: 'an earlier version sent it and did not record the time' };
  const prefixes = hourPrefixes(place.prefix, query.stream, made, made + minutes * 60_000);
  const listed = await Promise.all(prefixes.map(prefix => listObjects(aws, place.bucket, prefix)));
  const objects = writtenSoonFirst(listed.flat(), made);
  let read = 0;
  for (const [at, { key, bytes }] of objects.entries()) {
    read += bytes;
    if (at >= MOST.objects || read > MOST.bytes) {
      return { notFound: `it is not in the first ${at} of ${objects.length} objects, and the rest is not read` };
    }
    for await (const found of objectLines(aws, place.bucket, key)) {
      if (!found.includes(needle)) continue;
      const line = found.toString();
      const event = readEvent(line);
      if (event && isMeant(event)) return { event, line, place: `s3://${place.bucket}/${key}` };
    }
  }
  const span = `from ${forwardedAt} to ${minutes} minutes later`;
  return {
    notFound: `it is in none of the ${objects.length} objects delivered ${span}; Firehose may retry for longer`,
  };
}

function writtenSoonFirst(objects: readonly StoredObject[], made: number): StoredObject[] {
  const isEarly = ({ since }: StoredObject) => since < made - SKEW_MILLISECONDS;
  return objects.toSorted((one, other) => Number(isEarly(one)) - Number(isEarly(other)) || one.since - other.since);
}
