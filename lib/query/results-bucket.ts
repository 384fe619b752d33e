import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { suppressFinding } from '../acknowledge.ts';
import { bucketDefaults } from '../data-bucket.ts';

export interface ResultsBucketProps {
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
}

/**
 * Where Athena writes answers. A bucket of its own: analysts may write here, and nowhere near the events; answers go after a week, which
 * nobody could promise in a bucket that is brought.
 */
export function createResultsBucket(scope: Construct, props: ResultsBucketProps): s3.Bucket {
  const bucket = new s3.Bucket(scope, 'Results', {
    ...bucketDefaults(props.encryptionKey),
    lifecycleRules: [
      {
        expiration: Duration.days(7),
        noncurrentVersionExpiration: Duration.days(1),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
    ],
    removalPolicy: props.removalPolicy,
  });
  suppressFinding(
    bucket,
    'AwsSolutions-S1',
    'It holds answers to queries for a week; Athena keeps the history of who asked what.',
  );
  return bucket;
}
