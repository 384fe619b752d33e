/** Shows one dead letter, object or queue. Its content is customer data, so it is shown only with `--show`. */
import { isUtf8 } from 'node:buffer';
import { deadLettersPrefix, parseDeadLetterKey, readDeadLetter } from '../../../../lambda/core/dead-letter.ts';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import { readObject } from '../../bucket.ts';
import type { Context } from '../../context.ts';
import { RefusedError } from '../../errors.ts';
import { groupBy } from '../../group-by.ts';
import type { Outcome } from '../../report.ts';
import { tableText, textOfBytes, timeText } from '../../text.ts';
import { readErrorObject } from './error-records.ts';
import { isQueue, type Peeked, peek, QUEUES, type QueueName } from './queues.ts';

/** @param show include the row, the events or the messages @throws RefusedError, AwsCallError */
export async function showDeadLetterPlace(
  context: Context,
  key: string,
  { show = false }: { readonly show?: boolean },
): Promise<Outcome> {
  if (isQueue(key)) return showQueue(context, key, show);
  const { connector } = await context.deployment();
  if (parseDeadLetterKey(key, connector)) return showDeadLetter(key, await readObject(context, key), show);
  if (key.startsWith(PREFIXES.deliveryErrors))
    return showErrors(key, (await readObject(context, key)).toString(), show);
  throw new RefusedError(unknownKey(key, connector));
}

export function unknownKey(key: string, connector: string): string {
  const places = [`${deadLettersPrefix(connector)}…`, `${PREFIXES.deliveryErrors}…`, ...Object.keys(QUEUES)];
  return `${JSON.stringify(key)} is not a dead letter. Keys start with or are ${places.join(', ')}. "dead-letters list" prints them. Nothing was done.`;
}

const NOT_UTF_8 =
  'The row is not UTF-8. --show prints wrong bytes as escapes such as \\xff, and --show --json also all bytes as rowBase64.';

const NOT_STORED =
  'Its content is not stored: the option omit leaves members out of this stream, and they cannot be found in this row. --show prints its id, if it can be read.';

function showDeadLetter(key: string, body: Buffer, show: boolean): Outcome {
  const deadLetter = readDeadLetter(body);
  if (!deadLetter) throw new RefusedError(`${key} is not a dead letter that this version can read. Nothing was done.`);
  const { stream, reason, row } = deadLetter;
  if (!Buffer.isBuffer(row)) {
    const { bytes, id } = row;
    const shown = show && id !== undefined ? { id } : {};
    const lines = [sentence(stream, reason, bytes), NOT_STORED, ...(shown.id === undefined ? [] : ['', shown.id])];
    return { text: lines.join('\n'), json: { key, stream, reason, bytes, ...shown } };
  }
  const bytes = row.length;
  const text = textOfBytes(row);
  const isExact = isUtf8(row);
  const lines = [sentence(stream, reason, bytes), ...(isExact ? [] : [NOT_UTF_8]), ...(show ? ['', text] : [])];
  const shown = { row: text, ...(!isExact && { rowBase64: row.toString('base64') }) };
  return { text: lines.join('\n'), json: { key, stream, reason, bytes, ...(show && shown) } };
}

function sentence(stream: string, reason: string, bytes: number): string {
  return `A row of ${stream} that could not be sent: ${reason}. ${bytes} bytes.`;
}

function showErrors(key: string, content: string, show: boolean): Outcome {
  const { records, unreadable } = readErrorObject(content);
  const groups = byError(records).map(({ code, message, of }) => {
    const events = of.reduce((sum, { lines }) => sum + lines.length, 0);
    return { code, message, records: of.length, events, oldest: oldestOf(of.flatMap(each => each.arrived ?? [])) };
  });
  const rows = groups.map(({ code, records: count, events, oldest }) => {
    return [code || 'unknown', String(count), String(events), oldest === undefined ? '' : timeText(oldest)];
  });
  const lines = records.flatMap(each => each.lines);
  return {
    text: [
      tableText(['error', 'records', 'events', 'oldest'], rows),
      ...messageLines(groups),
      ...(unreadable > 0 ? ['', `${unreadable} lines are not error records of Firehose.`] : []),
      ...(show ? ['', ...lines] : []),
    ].join('\n'),
    json: { key, errors: groups, unreadableLines: unreadable, ...(show && { events: lines }) },
  };
}

/** @param show include the bodies @throws RefusedError, AwsCallError */
async function showQueue(context: Context, name: QueueName, show: boolean): Promise<Outcome> {
  const messages = (await peek(context, name)).map(explained);
  const errors = byError(messages).map(({ code, message, of }) => {
    return { code, message, count: of.length, oldest: Math.min(...of.map(({ sent }) => sent)) };
  });
  const rows = errors.map(({ code, count, oldest }) => [code || 'unknown', String(count), timeText(oldest)]);
  const seen = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return {
    text: [
      `${name}: ${QUEUES[name]}. Errors of ${seen}, read in one request:`,
      tableText(['error', 'count', 'oldest'], rows),
      ...messageLines(errors),
      ...(show ? ['', ...messages.map(({ sent, body }) => `${timeText(sent)}  ${body}`)] : []),
    ].join('\n'),
    json: {
      queue: name,
      errors: errors.map(({ oldest, ...each }) => ({ ...each, oldest: new Date(oldest).toISOString() })),
      messages: messages.map(({ sent, body, code, message }) => {
        return { sent: new Date(sent).toISOString(), code, message, ...(show && { body }) };
      }),
    },
  };
}

/** S3 sends a test message when a notification is configured. It names no object, so a reader may reject it. */
function explained(message: Peeked): Peeked {
  if (!message.body.includes('"s3:TestEvent"') || message.code !== '') return message;
  return { ...message, code: 's3:TestEvent', message: 'The test message of S3. It names no object. Delete it.' };
}

interface Explained {
  readonly code: string;
  readonly message: string;
}

function byError<T extends Explained>(all: readonly T[]) {
  const groups = groupBy(all, ({ code, message }) => JSON.stringify([code, message]));
  return [...groups.values()].map(of => ({ code: of[0]!.code, message: of[0]!.message, of }));
}

function oldestOf(times: readonly number[]): number | undefined {
  return times.length > 0 ? Math.min(...times) : undefined;
}

function messageLines(groups: readonly Explained[]): string[] {
  return groups.flatMap(({ code, message }) => (message ? ['', `${code}: ${message}`] : []));
}
