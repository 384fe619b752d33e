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
  'siem-queue': 'announcements of objects that the SIEM gave up on',
  'schedule-queue': 'starts of the function that could not be handed over',
} as const;

export type QueueName = keyof typeof QUEUES;

export function isQueue(key: string): key is QueueName {
  return Object.hasOwn(QUEUES, key);
}

/** @returns nothing where the stack has no such queue */
export async function queueUrl(context: Context, name: QueueName): Promise<string | undefined> {
  const { siem, scheduleDeadLetterQueueUrl } = await context.deployment();
  return name === 'siem-queue' ? siem?.deadLetterQueueUrl : scheduleDeadLetterQueueUrl;
}

/** Bodies of some messages, which stay where they are: they are hidden from nobody. @throws RefusedError, AwsCallError */
export async function peek(context: Context, name: QueueName): Promise<{ sent: number; body: string }[]> {
  const url = await knownUrl(context, name);
  const command = new ReceiveMessageCommand({
    QueueUrl: url,
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 0,
    MessageSystemAttributeNames: ['SentTimestamp'],
  });
  try {
    const { Messages: messages = [] } = await context.aws.sqs().send(command);
    return messages.map(({ Body: body = '', Attributes: told }) => ({ sent: Number(told?.SentTimestamp ?? 0), body }));
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
