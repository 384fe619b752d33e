/** Calls the bucket that holds logs and dead letters. */
import { type AwsCallOptions, callAws, type Sender } from '../aws.ts';
import type { RetryBudget } from '../core/retry.ts';
import type { BucketClient } from './s3.ts';

export interface BucketOptions {
  /**
   * Returns the S3 client. It is created at the first call, because most runs make no call to S3,
   * and this client takes the longest to load.
   */
  readonly client: () => Promise<Sender>;
  readonly bucket: string;
  readonly retryBudget: RetryBudget;
}

/** Makes a call to S3 for an object of the bucket, and repeats it if necessary. */
type BucketCall = <T>(
  attempt: (objects: BucketClient) => Promise<T>,
  policy: Pick<AwsCallOptions, 'failed' | 'before'>,
) => Promise<T>;

export function createBucketCall({ client, bucket, retryBudget: budget }: BucketOptions): BucketCall {
  let s3: Promise<typeof import('./s3.ts')> | undefined;
  return async (attempt, policy) => {
    s3 ??= import('./s3.ts');
    const { createBucketClient } = await s3;
    const objects = createBucketClient(await client(), bucket);
    return callAws(() => attempt(objects), { budget, ...policy });
  };
}
