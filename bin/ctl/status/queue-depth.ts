import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { PREFIXES } from '../../../lib/prefixes.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

export interface QueueDepth {
  readonly waiting: number;
  /** Taken by a reader and not finished. */
  readonly taken: number;
  /** Messages that announce no object. */
  readonly testMessages: number;
}

/** About how many messages a queue holds. @throws AwsCallError */
export async function queueDepth(aws: Aws, url: string): Promise<QueueDepth> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: url,
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  try {
    const { Attributes: told } = await aws.sqs().send(command);
    return {
      waiting: Number(told?.ApproximateNumberOfMessages ?? 0),
      taken: Number(told?.ApproximateNumberOfMessagesNotVisible ?? 0),
      testMessages: 0,
    };
  } catch (cause) {
    throw new AwsCallError(`The queue ${url} could not be read`, 'You need sqs:GetQueueAttributes on it.', cause);
  }
}

/**
 * S3 sends a message `s3:TestEvent` to the queue when the notification is set up, and SQS counts it like any other. Where the bucket holds
 * no event, no message is an announcement. A bucket that cannot be listed hides nothing of the queue.
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
