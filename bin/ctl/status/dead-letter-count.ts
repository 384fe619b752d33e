import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { deadLettersPrefix } from '../../../lambda/core/dead-letter.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import type { Aws } from '../aws.ts';
import type { Deployment } from '../deployment/find-deployment.ts';
import { AwsCallError } from '../errors.ts';

export interface DeadLetterCount {
  readonly count: number;
  /** There are more: one page was read. */
  readonly more: boolean;
}

/** How many rows of a stream lie in the bucket because they could not be sent; the first thousand. @throws AwsCallError */
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
