/** Counts of queues and dead letters, for `status`, `verify` and `dead-letters`. */
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { deadLettersPrefix } from '../../../../lambda/core/dead-letter.ts';
import type { StreamName } from '../../../../lambda/streams.ts';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import type { Aws } from '../../aws.ts';
import type { Deployment } from '../../deployment.ts';
import { AwsCallError } from '../../errors.ts';

export interface QueueDepth {
  readonly waiting: number;
  /** Received by a reader and not deleted. */
  readonly taken: number;
  /** Test messages of S3, which name no object. */
  readonly testMessages: number;
}

/** Approximate number of messages. @throws AwsCallError */
export async function queueDepth(aws: Aws, url: string): Promise<QueueDepth> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: url,
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  try {
    const { Attributes: attributes } = await aws.sqs().send(command);
    return {
      waiting: Number(attributes?.ApproximateNumberOfMessages ?? 0),
      taken: Number(attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
      testMessages: 0,
    };
  } catch (cause) {
    throw new AwsCallError(`The queue ${url} could not be read`, 'You need sqs:GetQueueAttributes on it.', cause);
  }
}

/**
 * S3 sends `s3:TestEvent` when a notification is configured, and SQS counts it as a message. While the bucket has no event, every
 * message is a test message.
 */
export async function withoutTestMessages(depth: QueueDepth, holds: () => Promise<boolean>): Promise<QueueDepth> {
  const messages = depth.waiting + depth.taken;
  if (messages === 0 || (await holds().catch(() => true))) return depth;
  return { waiting: 0, taken: 0, testMessages: messages };
}

export async function holdsEvents(aws: Aws, bucket: string): Promise<boolean> {
  const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: PREFIXES.events, MaxKeys: 1 });
  return ((await aws.s3().send(command)).KeyCount ?? 0) > 0;
}

export interface DeadLetterCount {
  readonly count: number;
  /** Only the first 1,000 were counted. */
  readonly more: boolean;
}

/** Number of dead letters of a stream, up to 1,000. @throws AwsCallError */
export async function deadLetterCount(aws: Aws, deployment: Deployment, stream: StreamName): Promise<DeadLetterCount> {
  const { bucket, connector } = deployment;
  const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: deadLettersPrefix(connector, stream) });
  try {
    const { KeyCount: count = 0, IsTruncated: more = false } = await aws.s3().send(command);
    return { count, more };
  } catch (cause) {
    throw new AwsCallError(`The bucket ${bucket} could not be listed`, 'You need s3:ListBucket on it.', cause);
  }
}

export function deadLetterText({ count, more }: DeadLetterCount): string {
  return more ? `${count} or more` : String(count);
}
