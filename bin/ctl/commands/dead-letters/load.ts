/**
 * Puts oversize rows where the SIEM reads: Firehose takes no line of that length, and S3 does. The event is the notice that the SIEM has, with
 * the row in place of the key of its dead letter.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { parseDeadLetterKey, readDeadLetter } from '../../../../lambda/core/dead-letter.ts';
import { type StreamName, streamOf } from '../../../../lambda/streams.ts';
import { openAccess } from '../../access.ts';
import { readObject } from '../../bucket.ts';
import { confirmed } from '../../confirm.ts';
import type { Context } from '../../context.ts';
import { type BucketPlace, deliveryPlace, hourPrefixes } from '../../delivery-place.ts';
import { awsCall, RefusedError } from '../../errors.ts';
import type { Outcome } from '../../report.ts';
import { findLine } from '../lookup/find-event.ts';
import { listDeadLetters } from './list.ts';
import { unknownKey } from './show.ts';

interface Loaded {
  readonly key: string;
  readonly outcome: 'loaded' | 'kept';
  readonly reason?: string;
  /** `s3://bucket/key`. */
  readonly place?: string;
}

/** @throws RefusedError, AwsCallError, InterruptedError */
export async function loadDeadLetters(
  context: Context,
  keys: readonly string[],
  options: { readonly yes?: true },
): Promise<Outcome> {
  const { connector } = await context.deployment();
  const place = await deliveryPlace(context.aws, await context.deployment());
  if ('elsewhere' in place) throw new RefusedError(`Rows cannot be loaded: ${place.elsewhere}. Nothing was done.`);
  for (const key of keys) {
    const reason = parseDeadLetterKey(key, connector)?.reason;
    if (reason === undefined) throw new RefusedError(unknownKey(key, connector));
    if (reason !== 'oversize')
      throw new RefusedError(`${key} is ${reason}: only the platform can correct it. ${STAYS}`);
  }
  await confirmed(context, `${keys.length === 1 ? '1 row is' : `${keys.length} rows are`} ${CONSEQUENCE}`, options);
  const all: Loaded[] = [];
  for (const key of new Set(keys)) all.push(await loadOne(context, place, key));
  const lines = all.map(each => `${each.key}\n  ${each.outcome}: ${each.reason ?? each.place}`);
  const isKept = all.some(({ outcome }) => outcome === 'kept');
  return { text: lines.join('\n'), json: { loaded: all }, status: isKept ? 3 : 0 };
}

const STAYS = 'It stays a dead letter until it changes. Nothing was done.';
const CONSEQUENCE =
  'put where the SIEM reads, as a file with one line each. The SIEM must accept lines of that length.';

async function loadOne(context: Context, place: BucketPlace, key: string): Promise<Loaded> {
  const kept = (reason: string): Loaded => ({ key, outcome: 'kept', reason });
  const deadLetter = readDeadLetter(await readObject(context, key));
  if (!deadLetter) return kept('this version cannot read it');
  const { stream } = deadLetter;
  const text = deadLetter.row.toString();
  const { id, deleted } = JSON.parse(text) as { readonly id: string; readonly deleted?: unknown };
  const sent = await lastSent(context, stream, id, key);
  if (!sent) return kept('the connector has not sent its notice yet');
  // The notice names the object by bucket and key.
  const found = await findLine(context.aws, place, {
    stream,
    forwardedAt: sent.forwardedAt,
    needle: `/${key}"`,
    isMeant: event => event.id === id && (sent.sequence === undefined || event.sequence === sent.sequence),
  });
  if ('notFound' in found) {
    return kept(`the SIEM has a newer version of the row, or its notice was not found: ${found.notFound}`);
  }
  const { kind, tombstones } = streamOf(stream);
  const line = eventLine(found.line, text, {
    kind: tombstones && deleted === true ? 'tombstone' : kind,
    forwardedAt: new Date(context.clock.now()).toISOString(),
  });
  return { key, outcome: 'loaded', place: await putEvent(context, place, stream, line) };
}

interface Sent {
  readonly forwardedAt: string;
  /** Undefined for a stream without row states. Its rows never change. */
  readonly sequence: string | undefined;
}

/** Finds the newest event about the row. Undefined if no event was sent. */
async function lastSent(context: Context, stream: StreamName, id: string, key: string): Promise<Sent | undefined> {
  if (streamOf(stream).hasRowStates) return (await (await openAccess(context)).rowStates.get(stream, [id])).get(id);
  const object = (await listDeadLetters(context)).find(each => each.key === key);
  return { forwardedAt: new Date(object?.since ?? 0).toISOString(), sequence: undefined };
}

/**
 * The event has the sequence after that of its notice. No other event has it, because the next run begins with a greater sequence.
 *
 * @param notice its line
 */
export function eventLine(
  notice: string,
  row: string,
  { kind, forwardedAt }: { readonly kind: string; readonly forwardedAt: string },
): string {
  const { event_id: noticeId, sequence, dead_letter: _, ...rest } = JSON.parse(notice);
  const eventId = createHash('sha256').update(`loaded\n${noticeId}`).digest('hex').slice(0, 32);
  const next = String(BigInt(sequence) + 1n).padStart(sequence.length, '0');
  // The position may be any JSON value. Its digits are kept.
  const position = /"stream_position":("(?:[^"\\]|\\.)*"|[^,]+),"connector"/.exec(notice)?.[1] ?? 'null';
  const head = { event_id: eventId, sequence: next, ...rest, kind, stream_position: null, forwarded_at: forwardedAt };
  const text = JSON.stringify(head).replace('"stream_position":null', () => `"stream_position":${position}`);
  return `${text.slice(0, -1)},"row":${row}}`;
}

async function putEvent(
  context: Context,
  { bucket, prefix }: BucketPlace,
  stream: StreamName,
  line: string,
): Promise<string> {
  const now = context.clock.now();
  const [folder = ''] = hourPrefixes(prefix, stream, now, now);
  const key = `${folder}loaded-${JSON.parse(line).event_id}.json.gz`;
  const Body = gzipSync(`${line}\n`);
  await awsCall(
    context.aws.s3().send(new PutObjectCommand({ Bucket: bucket, Key: key, Body })),
    `${key} could not be written to the bucket ${bucket}`,
    'Nothing was loaded, unless the connection broke. You need s3:PutObject below events/.',
  );
  return `s3://${bucket}/${key}`;
}
