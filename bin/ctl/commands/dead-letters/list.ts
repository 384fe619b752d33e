/** Lists what could not be sent, delivered or read: number, reason, age. */

import { deadLettersPrefix, parseDeadLetterKey } from '../../../../lambda/core/dead-letter.ts';
import type { StreamName } from '../../../../lambda/streams.ts';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import { listObjects, type StoredObject } from '../../bucket.ts';
import type { Context } from '../../context.ts';
import { awsCall } from '../../errors.ts';
import { groupBy } from '../../group-by.ts';
import { oldestMessageSeries, readMetrics } from '../../metrics.ts';
import { known, type ReadResult, readResultJson, tryRead } from '../../read-result.ts';
import type { Outcome } from '../../report.ts';
import { tableText, timeText } from '../../text.ts';
import { queueDepth } from './counts.ts';
import { type QueueName, queueUrls } from './queues.ts';

export interface ListOptions {
  /** Only rows of these streams. */
  readonly stream?: readonly StreamName[];
  /** Addresses to print of each kind. */
  readonly limit: number;
}

interface Listed {
  readonly deadLetters: ReadResult<FailedObject[]>;
  readonly errors: ReadResult<FailedObject[]>;
  readonly queues: ReadonlyMap<QueueName, ReadResult<QueueContent>>;
}

/** @throws RefusedError, AwsCallError */
export async function listDeadLetterPlaces(context: Context, { stream, limit }: ListOptions): Promise<Outcome> {
  await context.deployment();
  const listed = await readPlaces(context, stream);
  const rest = [listed.deadLetters, listed.errors, ...listed.queues.values()];
  const objects = [...(known(listed.deadLetters) ?? []), ...(known(listed.errors) ?? [])];
  const waiting = [...listed.queues.values()].some(each => (known(each)?.messages ?? 0) > 0);
  const unhealthy = objects.length > 0 || waiting || rest.some(each => 'notReadable' in each);
  return { text: listText(listed, limit), json: listJson(listed), status: unhealthy ? 3 : 0 };
}

async function readPlaces(context: Context, streams: readonly StreamName[] | undefined): Promise<Listed> {
  const { signal } = context;
  const deadLetters = tryRead(async () => {
    const all = await listDeadLetters(context);
    return streams ? all.filter(each => each.stream && streams.includes(each.stream)) : all;
  }, signal);
  const errors = tryRead(async () => (streams ? [] : await listDeliveryErrors(context)), signal);
  const queues = streams ? Promise.resolve(new Map()) : queueContents(context);
  const [all, failed, contents] = await Promise.all([deadLetters, errors, queues]);
  return { deadLetters: all, errors: failed, queues: contents };
}

async function queueContents(context: Context): Promise<Map<QueueName, ReadResult<QueueContent>>> {
  const contents = new Map<QueueName, ReadResult<QueueContent>>();
  for (const [name, url] of await queueUrls(context)) {
    contents.set(name, await tryRead(() => queueContent(context, url), context.signal));
  }
  return contents;
}

function listText({ deadLetters, errors, queues }: Listed, limit: number): string {
  const rows = [
    ...groupRows('rows', deadLetters, each => `${each.stream}: ${each.why}`),
    ...groupRows('deliveries', errors, each => each.why),
    ...[...queues].map(([name, content]) => ['queue', name, ...contentCells(content)]),
  ];
  const addresses = [...addressLines(deadLetters, limit), ...addressLines(errors, limit)];
  const unread = [deadLetters, errors, ...queues.values()].flatMap(each =>
    'notReadable' in each ? [each.notReadable] : [],
  );
  return [tableText(['what', 'why', 'count', 'oldest'], rows), ...addresses, ...new Set(unread)].join('\n');
}

function groupRows(what: string, read: ReadResult<FailedObject[]>, why: (each: FailedObject) => string): string[][] {
  const all = known(read);
  if (!all) return [[what, 'not readable', '?', '']];
  if (all.length === 0) return [[what, 'none', '0', '']];
  return [...groupBy(all, why)].map(([name, group]) => {
    return [what, name, String(group.length), timeText(Math.min(...group.map(each => each.since)))];
  });
}

function contentCells(content: ReadResult<QueueContent>): string[] {
  if (!('value' in content)) return ['?', ''];
  const { messages, oldest } = content.value;
  return [String(messages), oldest === undefined ? '' : timeText(oldest)];
}

function addressLines(read: ReadResult<FailedObject[]>, limit: number): string[] {
  const all = known(read) ?? [];
  const more = all.length > limit ? [`and ${all.length - limit} more: --limit, or --json for all`] : [];
  return all.length === 0 ? [] : ['', ...all.slice(0, limit).map(each => each.address), ...more];
}

function listJson({ deadLetters, errors, queues }: Listed): object {
  const objects = (read: ReadResult<FailedObject[]>) =>
    readResultJson(read, all =>
      all.map(({ since, key: _, ...each }) => ({ ...each, since: new Date(since).toISOString() })),
    );
  return {
    rows: objects(deadLetters),
    deliveries: objects(errors),
    queues: Object.fromEntries([...queues].map(([name, content]) => [name, readResultJson(content, queueJson)])),
  };
}

function queueJson({ messages, oldest }: QueueContent): object {
  return { messages, oldest: oldest === undefined ? null : new Date(oldest).toISOString() };
}

/** A row that the function could not send, or a batch that Firehose could not deliver. */
export interface FailedObject extends StoredObject {
  /** Address in S3, for example `s3://bucket/dead-letter/acme/assets/no-id/0c2d.json`. */
  readonly address: string;
  /** Undefined for a batch, which may have several. */
  readonly stream: StreamName | undefined;
  /** The reason in the key. */
  readonly why: string;
}

/** @throws AwsCallError */
async function listDeadLetters(context: Context): Promise<FailedObject[]> {
  const { connector } = await context.deployment();
  const objects = await list(context, deadLettersPrefix(connector));
  return objects.flatMap(each => {
    const parsed = parseDeadLetterKey(each.key, connector);
    return parsed ? [{ ...each, stream: parsed.stream, why: parsed.reason }] : [];
  });
}

/** @throws AwsCallError */
export async function listDeliveryErrors(context: Context): Promise<FailedObject[]> {
  const objects = await list(context, PREFIXES.deliveryErrors);
  return objects.map(each => ({ ...each, stream: undefined, why: each.key.split('/')[1] ?? '' }));
}

/** Without folders, which the console of S3 creates as empty objects. */
async function list(
  { aws, deployment }: Context,
  prefix: string,
): Promise<Pick<FailedObject, keyof StoredObject | 'address'>[]> {
  const { bucket } = await deployment();
  const listed = await awsCall(
    listObjects(aws, bucket, prefix),
    `The bucket ${bucket} could not be listed`,
    'Nothing was changed.',
  );
  const objects = listed.filter(({ key }) => !key.endsWith('/'));
  return objects.map(each => ({ ...each, address: `s3://${bucket}/${each.key}` }));
}

interface QueueContent {
  readonly messages: number;
  /** Time of the oldest message in milliseconds since 1970, if CloudWatch has recent data. */
  readonly oldest: number | undefined;
}

/** CloudWatch reports on an idle queue with some minutes of delay. */
const SPAN_MILLISECONDS = 3_600_000;

/** @throws AwsCallError */
async function queueContent({ aws, clock }: Context, url: string): Promise<QueueContent> {
  const { waiting, taken } = await queueDepth(aws, url);
  const messages = waiting + taken;
  if (messages === 0) return { messages, oldest: undefined };
  const now = clock.now();
  const span = { start: now - SPAN_MILLISECONDS, now };
  const [[newest] = []] = await readMetrics(aws, [oldestMessageSeries(url)], span);
  return { messages, oldest: newest && newest.time - newest.value * 1000 };
}
