import { ArnFormat, Stack, Token } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Construct } from 'constructs';
import { PREFIXES } from './prefixes.ts';

export function allowStatement(actions: readonly string[], ...resources: readonly string[]): iam.PolicyStatement {
  return new iam.PolicyStatement({ actions: [...actions], resources: [...resources] });
}

/** @param name name of an alarm, or the wildcard */
export function alarmArn(scope: Construct, connectorName: string, name: string): string {
  const resourceName = `${connectorName}/${name}`;
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Stack.of(scope).formatArn({ service: 'cloudwatch', resource: 'alarm', resourceName, arnFormat });
}

/** Allows listing the events, but nothing else in their bucket. */
export function listEventsStatement(bucket: IBucket): iam.PolicyStatement {
  return new iam.PolicyStatement({
    actions: ['s3:ListBucket'],
    resources: [bucket.bucketArn],
    conditions: { StringLike: { 's3:prefix': `${PREFIXES.events}*` } },
  });
}

/**
 * Returns the ARN of a secret. If the last six characters of the ARN are not known, the policy
 * matches any six characters.
 */
export function secretArnOf(secret: ISecret): string {
  return secret.secretFullArn ?? `${secret.secretArn}-??????`;
}

/** KMS actions that a service performs with the customer's key for its caller. */
const KEY_USES = {
  readAndWriteState: { service: 'dynamodb', actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt'] },
  readState: { service: 'dynamodb', actions: ['kms:Decrypt'] },
  readObjects: { service: 's3', actions: ['kms:Decrypt'] },
  writeObjects: { service: 's3', actions: ['kms:Decrypt', 'kms:GenerateDataKey'] },
  readSecret: { service: 'secretsmanager', actions: ['kms:Decrypt'] },
  writeSecret: { service: 'secretsmanager', actions: ['kms:Decrypt', 'kms:GenerateDataKey'] },
} as const;

/**
 * Allows the use of customers' keys through the named services only. An existing resource may have
 * a key other than the connector's. No statement is added for AWS's own keys.
 */
export function keyStatements(
  scope: Construct,
  uses: { readonly [U in keyof typeof KEY_USES]?: readonly (IKey | undefined)[] },
): iam.PolicyStatement[] {
  return Object.entries(uses).flatMap(([use, keys]) => {
    const { service, actions } = KEY_USES[use as keyof typeof KEY_USES];
    const arns = keys.flatMap(key => key?.keyArn ?? []);
    if (arns.length === 0) return [];
    return new iam.PolicyStatement({
      actions: [...actions],
      resources: [...new Set(arns)],
      conditions: { StringEquals: { 'kms:ViaService': serviceNames(scope, service) } },
    });
  });
}

/**
 * Returns the names by which KMS may know a service, for example `s3.cn-north-1.amazonaws.com` and
 * `s3.cn-north-1.amazonaws.com.cn`. In China and other partitions it is not documented whether the
 * names end with the domain of the partition, and the CDK writes `amazonaws.com` into key policies
 * everywhere. Both names belong to AWS.
 */
function serviceNames(scope: Construct, service: string): string | string[] {
  const { region, urlSuffix } = Stack.of(scope);
  const known = Token.isUnresolved(region) ? undefined : RegionInfo.get(region).domainSuffix;
  const names = ['amazonaws.com', known ?? urlSuffix].map(domain => `${service}.${region}.${domain}`);
  return names[0] === names[1] ? names[0]! : names;
}
