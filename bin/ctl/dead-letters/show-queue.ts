/** What a queue of dead letters holds, and why, where whoever gave the messages up says so. */
import type { Context } from '../context.ts';
import type { Outcome } from '../report/report.ts';
import { tableText } from '../report/table-text.ts';
import { timeText } from '../report/time-text.ts';
import { type Peeked, peek, QUEUES, type QueueName } from './queues.ts';

/** @param show with the bodies @throws RefusedError, AwsCallError */
export async function showQueue(context: Context, name: QueueName, show: boolean): Promise<Outcome> {
  const messages = (await peek(context, name)).map(explained);
  const errors = grouped(messages);
  const rows = errors.map(({ code, count, oldest }) => [code || 'not told', String(count), timeText(oldest)]);
  const seen = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return {
    text: [
      `${name}: ${QUEUES[name]}. Of ${seen}, as many as SQS gives at once:`,
      tableText(['error', 'count', 'oldest'], rows),
      ...errors.flatMap(({ code, message }) => (message ? ['', `${code}: ${message}`] : [])),
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

/** What S3 sends to the queue when the notification is set up. It announces no object, and a reader may give it up. */
function explained(message: Peeked): Peeked {
  if (!message.body.includes('"s3:TestEvent"') || message.code !== '') return message;
  return { ...message, code: 's3:TestEvent', message: 'The test message of S3. It announces no object: delete it.' };
}

interface Errors {
  readonly code: string;
  readonly message: string;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly oldest: number;
}

function grouped(messages: readonly Peeked[]): Errors[] {
  const groups = Map.groupBy(messages, ({ code, message }) => JSON.stringify([code, message]));
  return [...groups.values()].map(group => {
    const { code, message } = group[0]!;
    return { code, message, count: group.length, oldest: Math.min(...group.map(({ sent }) => sent)) };
  });
}
