import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { SecurityDataConnectorProps } from '../connector-props.ts';
import type { ConnectorConfig } from './connector-schema.ts';
import { destinationFrom } from './destination-from-config.ts';
import { networkFrom } from './network-from-config.ts';

/** The construct's props for one entry of the configuration: ARNs become references, numbers become durations. */
export function connectorProps(scope: Construct, config: ConnectorConfig): SecurityDataConnectorProps {
  return {
    ...api(config),
    ...operation(config),
    ...existing(scope, config),
    destination: destinationFrom(scope, config.destination),
    siemQueue: config.siemQueue,
    ...(config.siemReader && {
      siemReader: config.siemReader as NonNullable<SecurityDataConnectorProps['siemReader']>,
    }),
    query: config.query,
    ...(config.query && { queryScanGigabytes: config.queryScanGigabytes }),
    runbookUrl: config.runbookUrl,
    tags: config.tags,
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
    format: config.format,
    ...(config.ocsfFields && { ocsfFields: config.ocsfFields }),
    ...(config.leaseSeconds && { lease: Duration.seconds(config.leaseSeconds) }),
  };
}

function operation(config: ConnectorConfig) {
  return {
    rate: Duration.minutes(config.rateMinutes),
    enabled: config.enabled,
    memorySize: config.memoryMegabytes,
    logRetention: config.logRetentionDays,
    ...(!config.bucketArn && { retention: Duration.days(config.retentionDays) }),
    removalPolicy: config.removalPolicy === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    ...(config.alarmEmail && { alarmEmail: config.alarmEmail }),
  };
}

/** What exists already and is looked after by somebody else. */
function existing(scope: Construct, config: ConnectorConfig) {
  const { secretArn, bucketArn, kmsKeyArn, alarmTopicArn, permissionsBoundaryArn: boundaryArn, vpc } = config;
  return {
    ...(secretArn && { secret: secretsmanager.Secret.fromSecretCompleteArn(scope, 'Secret', secretArn) }),
    ...(bucketArn && { bucket: s3.Bucket.fromBucketArn(scope, 'Bucket', bucketArn) }),
    ...(kmsKeyArn && { encryptionKey: kms.Key.fromKeyArn(scope, 'Key', kmsKeyArn) }),
    ...(alarmTopicArn && { alarmTopic: sns.Topic.fromTopicArn(scope, 'Topic', alarmTopicArn) }),
    ...(boundaryArn && {
      permissionsBoundary: iam.ManagedPolicy.fromManagedPolicyArn(scope, 'Boundary', boundaryArn),
    }),
    ...(vpc && { network: networkFrom(scope, vpc) }),
  };
}
