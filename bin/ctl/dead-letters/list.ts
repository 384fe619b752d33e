/** Everything that is set aside, wherever it lies: how much, why, since when. */
import type { StreamName } from '../../../lambda/streams.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../report/report.ts';
import { tableText } from '../report/table-text.ts';
import { timeText } from '../report/time-text.ts';
import { known, type ReadResult, readingJson, result } from '../status/reading.ts';
import { listDeadLetters, listDeliveryErrors, type SetAside } from './objects.ts';
import { type QueueContent, queueContent } from './queue-content.ts';
import { QUEUES, type QueueName, queueUrl } from './queues.ts';

export interface ListOptions {
  /** Rows of these streams alone, and nothing that is not told by stream. */
  readonly stream?: readonly StreamName[];
  /** Keys that are named of each kind. */
  readonly limit: number;
}

interface Listed {
  readonly letters: ReadResult<SetAside[]>;
  readonly errors: ReadResult<SetAside[]>;
  readonly queues: ReadonlyMap<QueueName, ReadResult<QueueContent>>;
}

/** One part that is closed to the operator does not hide the others. @throws RefusedError, AwsCallError */
export async function listSetAside(context: Context, { stream, limit }: ListOptions): Promise<Outcome> {
  await context.deployment();
  const listed = await look(context, stream);
  const rest = [listed.letters, listed.errors, ...listed.queues.values()];
  const objects = [...(known(listed.letters) ?? []), ...(known(listed.errors) ?? [])];
  const waiting = [...listed.queues.values()].some(each => (known(each)?.messages ?? 0) > 0);
  const unhealthy = objects.length > 0 || waiting || rest.some(each => 'notReadable' in each);
  return { text: listText(listed, limit), json: listJson(listed), status: unhealthy ? 3 : 0 };
}

async function look(context: Context, streams: readonly StreamName[] | undefined): Promise<Listed> {
  const { signal } = context;
  const letters = result(async () => {
    const all = await listDeadLetters(context);
    return streams ? all.filter(each => each.stream && streams.includes(each.stream)) : all;
  }, signal);
  const errors = result(async () => (streams ? [] : await listDeliveryErrors(context)), signal);
  const queues = streams ? Promise.resolve(new Map()) : queueContents(context);
  const [all, failed, contents] = await Promise.all([letters, errors, queues]);
  return { letters: all, errors: failed, queues: contents };
}

async function queueContents(context: Context): Promise<Map<QueueName, ReadResult<QueueContent>>> {
  const contents = new Map<QueueName, ReadResult<QueueContent>>();
  for (const name of Object.keys(QUEUES) as QueueName[]) {
    const url = await queueUrl(context, name);
    if (url) contents.set(name, await result(() => queueContent(context, url), context.signal));
  }
  return contents;
}

function listText({ letters, errors, queues }: Listed, limit: number): string {
  const rows = [
    ...groupRows('rows', letters, each => `${each.stream}: ${each.why}`),
    ...groupRows('deliveries', errors, each => each.why),
    ...[...queues].map(([name, content]) => ['queue', name, ...contentCells(content)]),
  ];
  const keys = [...keyLines(letters, limit), ...keyLines(errors, limit)];
  const unread = [letters, errors, ...queues.values()].flatMap(each =>
    'notReadable' in each ? [each.notReadable] : [],
  );
  return [tableText(['what', 'why', 'count', 'oldest'], rows), ...keys, ...unread].join('\n');
}

function groupRows(what: string, read: ReadResult<SetAside[]>, why: (each: SetAside) => string): string[][] {
  const all = known(read);
  if (!all) return [[what, 'not readable', '?', '']];
  if (all.length === 0) return [[what, 'none', '0', '']];
  return [...Map.groupBy(all, why)].map(([name, group]) => {
    return [what, name, String(group.length), timeText(Math.min(...group.map(each => each.since)))];
  });
}

function contentCells(content: ReadResult<QueueContent>): string[] {
  if (!('value' in content)) return ['?', ''];
  const { messages, oldest } = content.value;
  return [String(messages), oldest === undefined ? '' : timeText(oldest)];
}

function keyLines(read: ReadResult<SetAside[]>, limit: number): string[] {
  const all = known(read) ?? [];
  const more = all.length > limit ? [`and ${all.length - limit} more: --limit, or --json for all`] : [];
  return all.length === 0 ? [] : ['', ...all.slice(0, limit).map(each => each.key), ...more];
}

function listJson({ letters, errors, queues }: Listed): object {
  const objects = (read: ReadResult<SetAside[]>) =>
    readingJson(read, all => all.map(({ since, ...each }) => ({ ...each, since: new Date(since).toISOString() })));
  return {
    rows: objects(letters),
    deliveries: objects(errors),
    queues: Object.fromEntries([...queues].map(([name, content]) => [name, readingJson(content, queueJson)])),
  };
}

function queueJson({ messages, oldest }: QueueContent): object {
  return { messages, oldest: oldest === undefined ? null : new Date(oldest).toISOString() };
}
