import { AwsError } from './aws-error.ts';
import type { Queue, QueueMessage } from './queues.ts';

/** The attributes of a queue that are asked for by name. @throws AwsError InvalidAttributeName */
export function queueAttributes(
  queue: Queue,
  messages: readonly QueueMessage[],
  now: number,
  names: readonly string[],
): Record<string, string> {
  const hidden = messages.filter(({ hiddenUntil }) => hiddenUntil > now);
  const delayed = hidden.filter(({ receives }) => receives === 0).length;
  const created = String(Math.floor(queue.created / 1000));
  const all: Readonly<Record<string, string>> = {
    ...queue.attributes,
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(messages.length - hidden.length),
    ApproximateNumberOfMessagesNotVisible: String(hidden.length - delayed),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    CreatedTimestamp: created,
    LastModifiedTimestamp: created,
  };
  if (names.includes('All')) return all;
  for (const name of names) {
    if (!NAMES.has(name)) throw new AwsError(400, 'InvalidAttributeName', `Unknown Attribute ${name}.`);
  }
  return Object.fromEntries(names.flatMap(name => (all[name] === undefined ? [] : [[name, all[name]]])));
}

const NAMES = new Set([
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
  'CreatedTimestamp',
  'DelaySeconds',
  'KmsDataKeyReusePeriodSeconds',
  'KmsMasterKeyId',
  'LastModifiedTimestamp',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'Policy',
  'QueueArn',
  'ReceiveMessageWaitTimeSeconds',
  'RedriveAllowPolicy',
  'RedrivePolicy',
  'SqsManagedSseEnabled',
  'VisibilityTimeout',
]);

/** The attributes that SQS adds to a message, by name. */
export function messageAttributes(message: QueueMessage, names: readonly string[]): Record<string, string> {
  const { sent, receives, firstReceived, sourceArn } = message;
  const all: Record<string, string> = {
    SentTimestamp: String(sent),
    ApproximateReceiveCount: String(receives),
    ApproximateFirstReceiveTimestamp: String(firstReceived),
    ...(sourceArn === undefined ? {} : { DeadLetterQueueSourceArn: sourceArn }),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name)));
}
