import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledgeWildcard } from '../acknowledge.ts';
import { PREFIXES } from '../data-bucket.ts';
import { keyStatement } from '../key-grant.ts';

export interface DeliveryRoleProps {
  readonly bucket: IBucket;
  readonly logGroup: ILogGroup;
  readonly encryptionKey?: IKey;
  /** What the destination needs beside the bucket. */
  readonly statements?: readonly iam.PolicyStatement[];
}

/** What Firehose acts as: it writes below two prefixes of the bucket and logs its errors, nothing else. */
export function createDeliveryRole(scope: Construct, props: DeliveryRoleProps): iam.Role {
  const written = [PREFIXES.events, PREFIXES.deliveryErrors].map(prefix => props.bucket.arnForObjects(`${prefix}*`));
  const statements = [
    new iam.PolicyStatement({
      actions: ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'],
      resources: [props.bucket.bucketArn],
    }),
    new iam.PolicyStatement({
      actions: ['s3:PutObject', 's3:GetObject', 's3:AbortMultipartUpload'],
      resources: written,
    }),
    new iam.PolicyStatement({ actions: ['logs:PutLogEvents'], resources: [props.logGroup.logGroupArn] }),
    ...keyStatement(scope, props.encryptionKey, ['kms:Decrypt', 'kms:GenerateDataKey'], ['s3']),
    ...(props.statements ?? []),
  ];
  const role = new iam.Role(scope, 'Role', {
    description: 'Lets the delivery stream write events, and what it could not deliver, into the bucket.',
    assumedBy: new iam.ServicePrincipal('firehose.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
    inlinePolicies: { Deliver: new iam.PolicyDocument({ statements }) },
  });
  for (const resource of written) {
    acknowledgeWildcard(
      role,
      resource,
      'Objects are named by Firehose; the wildcard stays below the prefix that it writes.',
    );
  }
  return role;
}
