/** The bucket of logs and dead letters. */
import { type AwsCall, callAws, type Sender } from '../aws.ts';
import type { RetryBudget } from '../core/retry.ts';
import type { Objects } from './s3.ts';

export interface BucketOptions {
  /** Created at the first call: most runs have none, and the S3 client is the heaviest. */
  readonly client: () => Promise<Sender>;
  readonly bucket: string;
  readonly retryBudget: RetryBudget;
}

/** Makes a call about the objects of the bucket, with its repeats. */
type BucketCall = <T>(
  attempt: (objects: Objects) => Promise<T>,
  policy: Pick<AwsCall, 'failed' | 'before'>,
) => Promise<T>;

export function bucketCall({ client, bucket, retryBudget: budget }: BucketOptions): BucketCall {
  return async (attempt, policy) => {
    const { objectsOf } = await import('./s3.ts');
    const objects = objectsOf(await client(), bucket);
    return callAws(() => attempt(objects), { budget, ...policy });
  };
}
