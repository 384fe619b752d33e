/** Calls the bucket that holds logs and dead letters. */
import { type AwsCall, callAws, type Sender } from '../aws.ts';
import type { RetryBudget } from '../core/retry.ts';
import type { BucketObjects } from './s3.ts';

export interface BucketOptions {
  /**
   * Created at the first call, because most runs make none and the S3 client takes the longest to
   * load.
   */
  readonly client: () => Promise<Sender>;
  readonly bucket: string;
  readonly retryBudget: RetryBudget;
}

/** Makes a call about the objects of the bucket, and repeats it if necessary. */
type BucketCall = <T>(
  attempt: (objects: BucketObjects) => Promise<T>,
  policy: Pick<AwsCall, 'failed' | 'before'>,
) => Promise<T>;

export function bucketCall({ client, bucket, retryBudget: budget }: BucketOptions): BucketCall {
  return async (attempt, policy) => {
    const { objectsOf } = await import('./s3.ts');
    const objects = objectsOf(await client(), bucket);
    return callAws(() => attempt(objects), { budget, ...policy });
  };
}
