/**
 * Lists rows that could not be sent, events that could not be delivered, and notifications that
 * could not be read, with number, reason and age.
 */

import { deadLettersPrefix, parseDeadLetterKey } from '../../../../lambda/core/dead-letter.ts';
import type { StreamName } from '../../../../lambda/streams.ts';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import { listObjects, type StoredObject } from '../../bucket.ts';
import type { Context } from '../../context.ts';
import { groupBy } from '../../group-by.ts';
import { oldestMessageSeries, readMetrics } from '../../metrics.ts';
import { type ReadResult, readResultJson, tryReadAll, valueIfRead } from '../../read-result.ts';
import type { CommandOutcome } from '../../report.ts';
import { tableText, timeText } from '../../text.ts';
import { readQueueDepth } from './counts.ts';

export interface DeadLetterListOptions {
  /** Streams whose rows are listed. If absent, the rows of every stream are listed. */
  readonly stream?: readonly StreamName[];
  /** Number of addresses to print for rows, and again for deliveries. */
  readonly limit: number;
}

/** @throws RefusedError, AwsCallError */
export async function listDeadLetterPlaces(
  context: Context,
  { stream, limit }: DeadLetterListOptions,
): Promise<CommandOutcome> {
  const { siem, otherReaders, scheduleDeadLetterQueueUrl } = await context.deployment();
  const rows = async () => (await listRows(context)).filter(row => stream?.includes(row.stream) ?? true);
  const deliveries = async () => (stream ? [] : listDeliveryErrors(context));
  const siemQueues = [...(siem ? [siem] : []), ...otherReaders].map(({ deadLetterQueueUrl, name }) => {
    const queue = name === '' ? 'siem-dead-letters' : `siem-dead-letters/${name}`;
    return [queue, () => readQueue(context, deadLetterQueueUrl)] as const;
  });
  const scheduleQueue = { 'schedule-dead-letters': () => readQueue(context, scheduleDeadLetterQueueUrl) };

  const [objects, queues] = await Promise.all([
    tryReadAll({ rows, deliveries }, context.signal),
    tryReadAll(stream ? {} : { ...Object.fromEntries(siemQueues), ...scheduleQueue }, context.signal),
  ]);
  return listOutcome({ ...objects, queues }, limit);
}

interface Listed {
  readonly rows: ReadResult<readonly FailedObject[]>;
  readonly deliveries: ReadResult<readonly FailedObject[]>;
  readonly queues: Readonly<Record<string, ReadResult<QueueContent>>>;
}

function listOutcome({ rows, deliveries, queues }: Listed, limit: number): CommandOutcome {
  const places = [rows, deliveries, ...Object.values(queues)];
  const unread = places.flatMap(place => ('notReadable' in place ? [place.notReadable] : []));
  const isWaiting = Object.values(queues).some(queue => (valueIfRead(queue)?.messages ?? 0) > 0);
  const isEmpty = [rows, deliveries].every(place => valueIfRead(place)?.length === 0) && !isWaiting;

  const table = [
    ...groupCells('rows', rows),
    ...groupCells('deliveries', deliveries),
    ...Object.entries(queues).map(([name, queue]) => ['queue', name, ...queueCells(valueIfRead(queue))]),
  ];
  return {
    text: [
      tableText(['kind', 'reason', 'count', 'oldest'], table),
      ...addressLines(rows, limit),
      ...addressLines(deliveries, limit),
      ...new Set(unread),
    ].join('\n'),
    json: {
      rows: readResultJson(rows, objectsJson),
      deliveries: readResultJson(deliveries, objectsJson),
      queues: Object.fromEntries(Object.entries(queues).map(([name, read]) => [name, readResultJson(read, queueJson)])),
    },
    status: isEmpty && unread.length === 0 ? 0 : 3,
  };
}

function groupCells(what: string, read: Listed['rows']): string[][] {
  const all = valueIfRead(read);
  if (!all) return [[what, 'not readable', '?', '']];
  if (all.length === 0) return [[what, 'none', '0', '']];
  return [...groupBy(all, ({ stream, why }) => (stream ? `${stream}: ${why}` : why))].map(([name, group]) => {
    return [what, name, String(group.length), timeText(Math.min(...group.map(each => each.since)))];
  });
}

function queueCells(content: QueueContent | undefined): string[] {
  if (!content) return ['?', ''];
  const { messages, oldest } = content;
  return [String(messages), oldest === undefined ? '' : timeText(oldest)];
}

function addressLines(read: Listed['rows'], limit: number): string[] {
  const all = valueIfRead(read) ?? [];
  const more = all.length > limit ? [`and ${all.length - limit} more: --limit, or --json for all`] : [];
  return all.length === 0 ? [] : ['', ...all.slice(0, limit).map(each => each.address), ...more];
}

function objectsJson(objects: readonly FailedObject[]): object[] {
  return objects.map(({ since, key: _, ...each }) => ({ ...each, since: new Date(since).toISOString() }));
}

function queueJson({ messages, oldest }: QueueContent): object {
  return { messages, oldest: oldest === undefined ? null : new Date(oldest).toISOString() };
}

/** A row that the function could not send, or a batch that Firehose could not deliver. */
interface FailedObject extends StoredObject {
  /** Address in S3, for example `s3://bucket/dead-letter/acme/assets/no-id/0c2d.json`. */
  readonly address: string;
  /** Stream of the row. Undefined for a batch, which may contain several streams. */
  readonly stream?: StreamName;
  /** Reason for the failure, which is a part of the object's key. */
  readonly why: string;
}

async function listRows(context: Context) {
  const { connector } = await context.deployment();
  const objects = await listFailed(context, deadLettersPrefix(connector));
  return objects.flatMap(each => {
    const parsed = parseDeadLetterKey(each.key, connector);
    return parsed ? [{ ...each, stream: parsed.stream, why: parsed.reason }] : [];
  });
}

/** @throws AwsCallError */
export async function listDeliveryErrors(context: Context) {
  const objects = await listFailed(context, PREFIXES.deliveryErrors);
  return objects.map(each => ({ ...each, why: each.key.split('/')[1] ?? '' }));
}

/**
 * Lists the objects below a prefix. Folders are left out, because S3's console creates a folder as
 * an empty object.
 *
 * @throws AwsCallError
 */
async function listFailed({ aws, deployment }: Context, prefix: string) {
  const { bucket } = await deployment();
  const listed = await listObjects(aws, bucket, prefix);
  const objects = listed.filter(({ key }) => !key.endsWith('/'));
  return objects.map(each => ({ ...each, address: `s3://${bucket}/${each.key}` }));
}

type QueueContent = Awaited<ReturnType<typeof readQueue>>;

/**
 * Time span of the metrics that are read. It is an hour, because CloudWatch reports on an idle
 * queue with a delay of some minutes.
 */
const SPAN_MILLISECONDS = 3_600_000;

/** @throws AwsCallError */
async function readQueue({ aws, clock }: Context, url: string) {
  const { waiting, taken } = await readQueueDepth(aws, url);
  const messages = waiting + taken;
  const read = () => readMetrics(aws, [oldestMessageSeries(url)], clock.now(), SPAN_MILLISECONDS);
  const [[newest] = []] = messages > 0 ? await read() : [];
  /**
   * `oldest` is the time of the oldest message in milliseconds since 1970, if CloudWatch has recent
   * data.
   */
  return { messages, oldest: newest && newest.time - newest.value * 1000 };
}
