/** Counts of queues and dead letters, for `status`, `verify` and `dead-letters`. */
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { deadLettersPrefix } from '../../../../lambda/core/dead-letter.ts';
import type { StreamName } from '../../../../lambda/streams.ts';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import type { Aws } from '../../aws.ts';
import { countObjects, type ObjectCount } from '../../bucket.ts';
import type { Deployment } from '../../deployment.ts';
import { awsCall } from '../../errors.ts';

export type QueueDepth = Awaited<ReturnType<typeof readQueueDepth>>;

/**
 * Reads the approximate number of messages: `waiting` messages, and `taken` messages, which a
 * reader has received but not deleted. `testMessages` is always 0 here, because SQS does not tell
 * test messages apart.
 *
 * @throws AwsCallError
 */
export async function readQueueDepth(aws: Aws, url: string) {
  const [waiting, taken] = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [waiting, taken] });
  const { Attributes: counts } = await awsCall(aws.sqs().send(command), `The queue ${url} could not be read`);
  return { waiting: Number(counts?.[waiting] ?? 0), taken: Number(counts?.[taken] ?? 0), testMessages: 0 };
}

/**
 * Counts all messages as test messages while the bucket has no event. S3 sends a message
 * `s3:TestEvent` when a bucket is configured to notify the queue itself, and SQS counts that
 * message like any other.
 */
export async function withoutTestMessages(depth: QueueDepth, aws: Aws, bucket: string): Promise<QueueDepth> {
  const messages = depth.waiting + depth.taken;
  const hasEvents = async () => (await countObjects(aws, bucket, PREFIXES.events, 1)).count > 0;
  if (messages === 0 || (await hasEvents().catch(() => true))) return depth;
  return { waiting: 0, taken: 0, testMessages: messages };
}

/** Number of dead letters of a stream, up to 1,000. @throws AwsCallError */
export async function countDeadLetters(
  aws: Aws,
  { bucket, connector }: Deployment,
  stream: StreamName,
): Promise<ObjectCount> {
  return countObjects(aws, bucket, deadLettersPrefix(connector, stream));
}

export function deadLetterCountText({ count, more }: ObjectCount): string {
  return more ? `${count} or more` : String(count);
}
