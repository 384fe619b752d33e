/** The two dead-letter queues: of the SIEM's notifications and of the schedule's starts. */
import type { Context } from '../../context.ts';

export type QueueName = 'siem-dead-letters' | 'schedule-dead-letters';

/** URLs of the queues that the stack has. */
export async function queueUrls({ deployment }: Context): Promise<ReadonlyMap<QueueName, string>> {
  const { siem, scheduleDeadLetterQueueUrl } = await deployment();
  return new Map<QueueName, string>([
    ...(siem ? [['siem-dead-letters', siem.deadLetterQueueUrl] as const] : []),
    ['schedule-dead-letters', scheduleDeadLetterQueueUrl],
  ]);
}
