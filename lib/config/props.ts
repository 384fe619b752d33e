/** Converts the options of `cdk.json` to props of the construct, and fills in defaults. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { SecurityDataConnectorProps } from '../connector-props.ts';
import { Destination } from '../delivery/destination.ts';
import { RUNBOOK_ADDRESS } from '../version.ts';
import { CONNECTOR_DEFAULTS, type ConnectorConfig } from './schema.ts';

/** Path of the prop for each path of an option, where the two differ. */
export const PROP_NAMES: Readonly<Record<string, string>> = {
  name: 'connectorName',
  refreshDays: 'refresh',
  rateMinutes: 'rate',
  memoryMegabytes: 'memorySize',
  logRetentionDays: 'logRetention',
  retentionDays: 'retention',
  secretArn: 'secret',
  bucketArn: 'bucket',
  stateTableArn: 'stateTable',
  kmsKeyArn: 'encryptionKey',
  alarmTopicArn: 'alarmTopic',
  permissionsBoundaryArn: 'permissionsBoundary',
  'destination.secretArn': 'destination.secret',
  'destination.bufferSeconds': 'destination.bufferInterval',
  'destination.retrySeconds': 'destination.retry',
  'destination.deliveryStreamArn': 'destination.deliveryStream',
};

/** Converts one entry of the configuration to props of the construct. */
export function toProps(scope: Construct, config: ConnectorConfig): SecurityDataConnectorProps {
  const { account, region, name, destination, siemReaders, vpc, secretArn, bucketArn, stateTableArn, ...rest } = config;
  const { kmsKeyArn, alarmTopicArn, permissionsBoundaryArn, ...plain } = rest;

  return {
    ...plainProps(plain),
    connectorName: name,
    destination: destinationOf(scope, destination),
    siemReaders: siemReaders.map(({ queueArn, ...reader }) => ({
      ...reader,
      ...(queueArn && { queue: Queue.fromQueueArn(scope, `Queue-${reader.name}`, queueArn) }),
    })),
    ...(vpc && networkProps(scope, vpc)),
    ...(secretArn && { secret: Secret.fromSecretCompleteArn(scope, 'Secret', secretArn) }),
    // The connector must not delete the objects of an existing bucket, because they do not belong
    // to it.
    ...(bucketArn && { bucket: Bucket.fromBucketArn(scope, 'Bucket', bucketArn), retention: undefined }),
    ...(stateTableArn && { stateTable: Table.fromTableArn(scope, 'StateTable', stateTableArn) }),
    ...(kmsKeyArn && { encryptionKey: Key.fromKeyArn(scope, 'EncryptionKey', kmsKeyArn) }),
    ...(alarmTopicArn && { alarmTopic: Topic.fromTopicArn(scope, 'AlarmTopic', alarmTopicArn) }),
    ...(permissionsBoundaryArn && {
      permissionsBoundary: ManagedPolicy.fromManagedPolicyArn(scope, 'PermissionsBoundary', permissionsBoundaryArn),
    }),
  } as SecurityDataConnectorProps;
}

type Plain = Pick<ConnectorConfig, 'refreshDays' | 'rateMinutes' | 'memoryMegabytes' | RetentionOption>;
type RetentionOption = 'logRetentionDays' | 'retentionDays' | 'removalPolicy';

/** Returns the props whose values are not resources. */
function plainProps<O extends Plain>(options: O) {
  const { refreshDays, rateMinutes, memoryMegabytes, logRetentionDays, retentionDays, removalPolicy, ...same } =
    options;
  return {
    ...same,
    ...(refreshDays !== undefined && { refresh: Duration.days(refreshDays) }),
    rate: Duration.minutes(rateMinutes),
    memorySize: memoryMegabytes,
    logRetention: logRetentionDays,
    retention: Duration.days(retentionDays),
    removalPolicy: removalPolicy === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  };
}

function destinationOf(scope: Construct, destination: ConnectorConfig['destination']): Destination {
  if (destination.type === 'existing') {
    const { deliveryStreamArn, deliversTo } = destination;
    const id = 'DestinationDeliveryStream';
    const deliveryStream = CfnDeliveryStream.fromDeliveryStreamArn(scope, id, deliveryStreamArn);
    return Destination.existing({ deliveryStream, deliversTo });
  }

  const bufferInterval = Duration.seconds(destination.bufferSeconds);
  if (destination.type === 's3') return Destination.s3({ bufferInterval });

  const { type, bufferSeconds, retrySeconds, secretArn, ...same } = destination;
  const options = {
    ...same,
    bufferInterval,
    retry: Duration.seconds(retrySeconds),
    ...(secretArn && { secret: Secret.fromSecretCompleteArn(scope, 'DestinationSecret', secretArn) }),
  };
  return type === 'splunk' ? Destination.splunk(options) : Destination.http(options);
}

/**
 * Describes the network by its ids alone, so that synth need not look anything up, and does not
 * need credentials.
 */
function networkProps(scope: Construct, { vpcId, subnetIds, securityGroupIds }: NonNullable<ConnectorConfig['vpc']>) {
  // An imported VPC must have a zone, although none is used here.
  const vpc = Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId, availabilityZones: ['unknown'] });

  const subnets = subnetIds.map(id => Subnet.fromSubnetId(scope, id, id));
  const securityGroups = securityGroupIds?.map(id =>
    SecurityGroup.fromSecurityGroupId(scope, id, id, { mutable: false }),
  );
  return { vpc, vpcSubnets: { subnets }, securityGroups };
}

const DEFAULT_PROPS = {
  ...withoutUndefined(plainProps(CONNECTOR_DEFAULTS)),
  destination: Destination.s3(),
  runbookUrl: RUNBOOK_ADDRESS,
};

/** The props with every default filled in. */
export type ConnectorOptions = SecurityDataConnectorProps & Required<Pick<SecurityDataConnectorProps, Defaulted>>;

type Defaulted =
  | ('threatAssetField' | 'rate' | 'enabled' | 'memorySize' | 'logRetention' | 'retention' | 'removalPolicy')
  | ('destination' | 'siemQueue' | 'siemReaders' | 'alarms' | 'runbookUrl' | 'dashboard' | 'outputs');

export function withDefaults(props: SecurityDataConnectorProps): ConnectorOptions {
  return { ...DEFAULT_PROPS, ...withoutUndefined(props) } as unknown as ConnectorOptions;
}

/** Returns the members with the given names, unless they are undefined. */
export function pick(values: object, names: readonly string[]): Record<string, unknown> {
  return withoutUndefined(Object.fromEntries(names.map(name => [name, (values as Record<string, unknown>)[name]])));
}

/** Returns the object without the members that are undefined. */
export function withoutUndefined(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
