import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

export interface QueueDepth {
  readonly waiting: number;
  /** Taken by a reader and not finished. */
  readonly taken: number;
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
    };
  } catch (cause) {
    throw new AwsCallError(`The queue ${url} could not be read`, 'You need sqs:GetQueueAttributes on it.', cause);
  }
}
