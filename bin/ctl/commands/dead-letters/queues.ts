/** The two dead-letter queues: of the SIEM's notifications and of the schedule's starts. */
import { ListMessageMoveTasksCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import type { Context } from '../../context.ts';
import { AwsCallError, InterruptedError, RefusedError } from '../../errors.ts';
import { queueAttributes } from './counts.ts';

export const QUEUES = {
  'siem-dead-letters': 'notifications that the SIEM did not process',
  'schedule-dead-letters': 'failed starts of the function',
} as const;

export type QueueName = keyof typeof QUEUES;

/** @returns undefined if the stack has no such queue */
export async function queueUrl(context: Context, name: QueueName): Promise<string | undefined> {
  const { siem, scheduleDeadLetterQueueUrl } = await context.deployment();
  return name === 'siem-dead-letters' ? siem?.deadLetterQueueUrl : scheduleDeadLetterQueueUrl;
}

/** After that the move continues unobserved. */
const MOST_POLLS = 60;
const PAUSE_MILLISECONDS = 1_000;

/** Moves every message back to its source queue and waits for the end. @throws RefusedError, AwsCallError, InterruptedError */
export async function moveBack(context: Context, name: QueueName) {
  const url = await knownUrl(context, name);
  const sqs = context.aws.sqs();
  try {
    const { QueueArn: SourceArn } = await queueAttributes(context.aws, url, ['QueueArn']);
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
    for (let poll = 0; ; poll++) {
      const { Results: [task] = [] } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }));
      const moved = { status: task?.Status ?? 'UNKNOWN', moved: Number(task?.ApproximateNumberOfMessagesMoved ?? 0) };
      if (moved.status !== 'RUNNING' || poll === MOST_POLLS) return moved;
      await context.clock.sleep(PAUSE_MILLISECONDS, context.signal);
    }
  } catch (cause) {
    if (context.signal.aborted) {
      throw new InterruptedError('Interrupted. A move that has started continues in SQS.', { cause });
    }
    throw new AwsCallError(`The messages of ${url} could not be moved`, ADVICE, cause);
  }
}

const ADVICE =
  'Messages that were not moved are unchanged. You need sqs:StartMessageMoveTask, sqs:ListMessageMoveTasks, sqs:ReceiveMessage, ' +
  'sqs:DeleteMessage and sqs:GetQueueAttributes on it, and sqs:SendMessage on the queue of the SIEM.';

/** @throws RefusedError if the stack has no such queue */
export async function knownUrl(context: Context, name: QueueName): Promise<string> {
  const url = await queueUrl(context, name);
  if (url) return url;
  throw new RefusedError('The stack has no queue for the SIEM. Nothing was done.');
}
