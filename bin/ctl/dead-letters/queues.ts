/** The two queues of what could not be handed over: to the SIEM, and to the function. */
import {
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { Context } from '../context.ts';
import { AwsCallError, InterruptedError, RefusedError } from '../errors.ts';

export const QUEUES = {
  'siem-dead-letters': 'announcements of objects that the SIEM gave up on',
  'schedule-dead-letters': 'starts of the function that could not be handed over',
} as const;

export type QueueName = keyof typeof QUEUES;

/** What 0.1 called them, taken for one more release: elsewhere the first is the queue that the SIEM reads. */
const EARLIER_NAMES: ReadonlyMap<string, QueueName> = new Map([
  ['siem-queue', 'siem-dead-letters'],
  ['schedule-queue', 'schedule-dead-letters'],
]);

/** @returns nothing where the key names no queue */
export function queueNamed(key: string): QueueName | undefined {
  return Object.hasOwn(QUEUES, key) ? (key as QueueName) : EARLIER_NAMES.get(key);
}

/** @returns nothing where the stack has no such queue */
export async function queueUrl(context: Context, name: QueueName): Promise<string | undefined> {
  const { siem, scheduleDeadLetterQueueUrl } = await context.deployment();
  return name === 'siem-dead-letters' ? siem?.deadLetterQueueUrl : scheduleDeadLetterQueueUrl;
}

/** A message, and why it was given up: EventBridge Scheduler says so in its attributes, SQS itself does not. */
export interface Peeked {
  /** Milliseconds since 1970. */
  readonly sent: number;
  readonly body: string;
  /** Empty where it is not told; so is the message. */
  readonly code: string;
  readonly message: string;
}

/** Some messages, which stay where they are: they are hidden from nobody. @throws RefusedError, AwsCallError */
export async function peek(context: Context, name: QueueName): Promise<Peeked[]> {
  const url = await knownUrl(context, name);
  const command = new ReceiveMessageCommand({
    QueueUrl: url,
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 0,
    // Without a wait SQS asks some of its servers alone, and may find nothing where a few messages are.
    WaitTimeSeconds: 1,
    MessageSystemAttributeNames: ['SentTimestamp'],
    MessageAttributeNames: ['ERROR_CODE', 'ERROR_MESSAGE'],
  });
  try {
    const { Messages: messages = [] } = await context.aws.sqs().send(command);
    return messages.map(({ Body: body = '', Attributes: told, MessageAttributes: why = {} }) => ({
      sent: Number(told?.SentTimestamp ?? 0),
      body,
      code: why['ERROR_CODE']?.StringValue ?? '',
      message: why['ERROR_MESSAGE']?.StringValue ?? '',
    }));
  } catch (cause) {
    throw new AwsCallError(`The queue ${url} could not be read`, 'You need sqs:ReceiveMessage on it.', cause);
  }
}

/** What a move may take before it is left to itself. */
const MOST_POLLS = 60;
const PAUSE_MILLISECONDS = 1_000;

export interface Moved {
  readonly status: string;
  readonly moved: number;
}

/** Has SQS move every message back to the queue that gave it up, and waits for it. @throws RefusedError, AwsCallError, InterruptedError */
export async function moveBack(context: Context, name: QueueName): Promise<Moved> {
  const url = await knownUrl(context, name);
  const sqs = context.aws.sqs();
  try {
    const { Attributes: told } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
    );
    const SourceArn = told?.QueueArn;
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
    for (let poll = 0; ; poll++) {
      const { Results: [task] = [] } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }));
      const moved = { status: task?.Status ?? 'UNKNOWN', moved: Number(task?.ApproximateNumberOfMessagesMoved ?? 0) };
      if (moved.status !== 'RUNNING' || poll === MOST_POLLS) return moved;
      await context.clock.sleep(PAUSE_MILLISECONDS, context.signal);
    }
  } catch (cause) {
    if (context.signal.aborted) {
      throw new InterruptedError('Interrupted. SQS goes on moving the messages by itself, if it had begun.', { cause });
    }
    throw new AwsCallError(`The messages of ${url} could not be moved`, ADVICE, cause);
  }
}

const ADVICE =
  'What was not moved is still there. You need sqs:StartMessageMoveTask, sqs:ListMessageMoveTasks, sqs:ReceiveMessage, ' +
  'sqs:DeleteMessage and sqs:GetQueueAttributes on it, and sqs:SendMessage on the queue of the SIEM.';

async function knownUrl(context: Context, name: QueueName): Promise<string> {
  const url = await queueUrl(context, name);
  if (url) return url;
  throw new RefusedError('The stack has no queue for the SIEM. Nothing was done.');
}
