import { Aws, Duration, Fn, type RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { suppressFinding } from './suppress-finding.ts';

export interface DataBucketProps {
  readonly connectorName: string;
  readonly removalPolicy: RemovalPolicy;
  readonly retention: Duration;
  readonly encryptionKey?: IKey;
}

export function createDataBucket(scope: Construct, props: DataBucketProps): s3.Bucket {
  const bucket = new s3.Bucket(scope, 'Data', {
    ...bucketDefaults(props.encryptionKey),
    bucketName: bucketNameOf(props.connectorName),
    lifecycleRules: [
      {
        expiration: props.retention,
        noncurrentVersionExpiration: Duration.days(30),
        abortIncompleteMultipartUploadAfter: Duration.days(7),
      },
    ],
    removalPolicy: props.removalPolicy,
  });
  suppressFinding(
    bucket,
    'AwsSolutions-S1',
    'Reads are audited by CloudTrail data events where an organization wants them; a second bucket for access logs in every stack would need protection too.',
  );
  return bucket;
}

/**
 * A name that is known before the bucket is created. S3 checks the queue's policy at creation, and that policy names the bucket, so a name that
 * CloudFormation generates would be a circular dependency. Parts of the stack's id make the name unique, also after a failed creation.
 */
function bucketNameOf(connectorName: string): string {
  const id = Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID)));
  return `sdc-${connectorName}-${Fn.select(0, id)}-${Fn.select(4, id)}`;
}

/** Settings of every bucket of a stack: private, encrypted, versioned, TLS only. */
export function bucketDefaults(key: IKey | undefined): s3.BucketProps {
  return {
    ...encryptionOf(key),
    blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
    objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: true,
  };
}

function encryptionOf(key: IKey | undefined) {
  if (!key) return { encryption: s3.BucketEncryption.S3_MANAGED };
  return { encryption: s3.BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true };
}
