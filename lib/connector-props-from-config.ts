import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { ConnectorConfig } from './config/connector-schema.ts';
import type { SecurityDataConnectorProps } from './connector-props.ts';

/** The construct's props for one entry of the configuration: ARNs become references, numbers become durations. */
export function connectorProps(scope: Construct, config: ConnectorConfig): SecurityDataConnectorProps {
  return {
    ...api(config),
    ...operation(config),
    ...(config.secretArn && { secret: secretsmanager.Secret.fromSecretCompleteArn(scope, 'Secret', config.secretArn) }),
    ...(config.bucketArn && { bucket: s3.Bucket.fromBucketArn(scope, 'Bucket', config.bucketArn) }),
    ...(config.kmsKeyArn && { encryptionKey: kms.Key.fromKeyArn(scope, 'Key', config.kmsKeyArn) }),
  };
}

function api(config: ConnectorConfig) {
  return {
    connectorName: config.name,
    baseUrl: config.baseUrl,
    authUrl: config.authUrl,
    threatAssetField: config.threatAssetField,
    pageLimit: config.pageLimit,
    ...(config.dnsBlocksPath && { dnsBlocksPath: config.dnsBlocksPath }),
    ...(config.rowsMember && { rowsMember: config.rowsMember }),
    ...(config.paginationMember && { paginationMember: config.paginationMember }),
    ...(config.leaseSeconds && { lease: Duration.seconds(config.leaseSeconds) }),
  };
}

function operation(config: ConnectorConfig) {
  return {
    rate: Duration.minutes(config.rateMinutes),
    enabled: config.enabled,
    memorySize: config.memoryMegabytes,
    logRetention: config.logRetentionDays,
    retention: Duration.days(config.retentionDays),
    removalPolicy: config.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  };
}
