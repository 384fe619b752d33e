import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { suppressWildcard } from '../acknowledge.ts';
import { PREFIXES } from '../prefixes.ts';
import { allow, keyStatements, secretArnOf } from '../statements.ts';
import type { ParquetSchema } from './parquet-schema.ts';

export interface DeliveryRoleProps {
  readonly bucket: IBucket;
  readonly logGroup: ILogGroup;
  readonly encryptionKey?: IKey;
  /** The endpoint's token, where there is an endpoint. */
  readonly token?: ISecret;
  /** What lines are converted by, where they are converted. */
  readonly schema?: ParquetSchema;
}

/**
 * What Firehose acts as: it writes below its prefixes of the bucket and logs its errors, nothing else. The trust needs no condition
 * on the account, because a role can only be passed to services of its own.
 */
export function createDeliveryRole(scope: Construct, props: DeliveryRoleProps): iam.Role {
  const written = prefixesOf(props).map(prefix => props.bucket.arnForObjects(`${prefix}*`));
  const role = new iam.Role(scope, 'Role', {
    description: 'Lets the delivery stream write events, and what it could not deliver, into the bucket.',
    assumedBy: new iam.ServicePrincipal('firehose.amazonaws.com'),
    inlinePolicies: { Deliver: new iam.PolicyDocument({ statements: statementsOf(scope, props, written) }) },
  });
  for (const resource of written) {
    suppressWildcard(role, resource, 'Firehose names the objects; the wildcard stays below the prefix that it writes.');
  }
  return role;
}

function prefixesOf({ token, schema }: DeliveryRoleProps): string[] {
  // Where an endpoint takes the events, only what it did not take lands in the bucket.
  if (token) return [PREFIXES.deliveryErrors];
  return [PREFIXES.events, PREFIXES.deliveryErrors, ...(schema ? [PREFIXES.lines] : [])];
}

function statementsOf(scope: Construct, props: DeliveryRoleProps, written: string[]): iam.PolicyStatement[] {
  const { bucket, logGroup, encryptionKey, token, schema } = props;
  return [
    allow(['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'], bucket.bucketArn),
    allow(['s3:PutObject', 's3:GetObject', 's3:AbortMultipartUpload'], ...written),
    allow(['logs:PutLogEvents'], logGroup.logGroupArn),
    ...(schema ? [allow(READ_SCHEMA, ...schema.arns)] : []),
    ...(token ? [allow(['secretsmanager:GetSecretValue'], secretArnOf(token))] : []),
    ...keyStatements(scope, encryptionKey, token ? ['writeObjects', 'readSecret'] : ['writeObjects']),
  ];
}

/** As Firehose's guide lists them for a conversion whose schema is in a table. */
const READ_SCHEMA = ['glue:GetTable', 'glue:GetTableVersion', 'glue:GetTableVersions'];
