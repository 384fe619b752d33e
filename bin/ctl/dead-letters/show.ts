/** One thing that is set aside. What it holds is the customer's data, so it is shown only when asked for. */
import { deadLettersPrefix, parseDeadLetterKey, readDeadLetter } from '../../../lambda/core/dead-letter.ts';
import { PREFIXES } from '../../../lib/prefixes.ts';
import type { Context } from '../context.ts';
import { RefusedError } from '../errors.ts';
import type { Outcome } from '../report/report.ts';
import { tableText } from '../report/table-text.ts';
import { timeText } from '../report/time-text.ts';
import { readErrorObject } from './error-records.ts';
import { QUEUES, queueNamed } from './queues.ts';
import { readObject } from './read-object.ts';
import { showQueue } from './show-queue.ts';

/** @param show with the row, the events or the messages @throws RefusedError, AwsCallError */
export async function showSetAside(context: Context, key: string, show: boolean): Promise<Outcome> {
  const queue = queueNamed(key);
  if (queue) return showQueue(context, queue, show);
  const { connector } = await context.deployment();
  if (parseDeadLetterKey(key, connector)) return showDeadLetter(key, await readObject(context, key), show);
  if (key.startsWith(PREFIXES.deliveryErrors)) return showErrors(key, await readObject(context, key), show);
  throw new RefusedError(unknownKey(key, connector));
}

export function unknownKey(key: string, connector: string): string {
  const places = [`${deadLettersPrefix(connector)}…`, `${PREFIXES.deliveryErrors}…`, ...Object.keys(QUEUES)];
  return `${JSON.stringify(key)} is none of what may be set aside: ${places.join(', ')}. "dead-letters list" names the keys. Nothing was done.`;
}

function showDeadLetter(key: string, body: string, show: boolean): Outcome {
  const deadLetter = readDeadLetter(body);
  if (!deadLetter) throw new RefusedError(`${key} is no dead letter that this version can read. Nothing was done.`);
  const { stream, reason, text } = deadLetter;
  const bytes = Buffer.byteLength(text);
  return {
    text: [`A row of ${stream} that could not be sent: ${reason}. ${bytes} bytes.`, ...(show ? ['', text] : [])].join(
      '\n',
    ),
    json: { key, stream, reason, bytes, ...(show && { row: text }) },
  };
}

function showErrors(key: string, content: string, show: boolean): Outcome {
  const { records, strange } = readErrorObject(content);
  const groups = [...Map.groupBy(records, ({ code, message }) => JSON.stringify([code, message]))].map(([, group]) => {
    const { code, message } = group[0]!;
    const arrived = group.flatMap(each => each.arrived ?? []);
    const events = group.reduce((sum, { lines }) => sum + lines.length, 0);
    return {
      code,
      message,
      records: group.length,
      events,
      oldest: arrived.length > 0 ? Math.min(...arrived) : undefined,
    };
  });
  const rows = groups.map(({ code, records: count, events, oldest }) => {
    return [code || 'not told', String(count), String(events), oldest === undefined ? '' : timeText(oldest)];
  });
  const lines = records.flatMap(each => each.lines);
  return {
    text: [
      tableText(['error', 'records', 'events', 'oldest'], rows),
      ...groups.flatMap(({ code, message }) => (message ? ['', `${code}: ${message}`] : [])),
      ...(strange > 0 ? ['', `${strange} lines are no error record of Firehose.`] : []),
      ...(show ? ['', ...lines] : []),
    ].join('\n'),
    json: { key, errors: groups, strangeLines: strange, ...(show && { events: lines }) },
  };
}
