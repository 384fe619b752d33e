import { Aws, Duration, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { SiemAccess, SiemReader } from '../connector-props.ts';
import { PREFIXES } from '../prefixes.ts';
import { allow, keyStatements, listing } from '../statements.ts';
import { suppressFinding, suppressWildcard } from '../suppress-finding.ts';
import { createReaderRole } from './siem-reader.ts';

export interface SiemAccessProps {
  readonly connectorName: string;
  readonly bucket: s3.IBucket;
  /** The same bucket, if this stack creates it and can configure its notifications. */
  readonly createdBucket: s3.Bucket | undefined;
  readonly siemReader?: SiemReader;
  readonly encryptionKey?: IKey;
}

/** The longest that SQS keeps a message. A SIEM that reads nothing for this long loses notifications. */
const KEPT = Duration.days(14);

/** How often a SIEM may receive a notification without deleting it. */
const MAX_RECEIVES = 10;

export function createSiemAccess(scope: Construct, props: SiemAccessProps): SiemAccess {
  const within = new Construct(scope, 'Siem');
  const deadLetters = new sqs.Queue(within, 'Unread', { ...QUEUE, retentionPeriod: KEPT });
  suppressFinding(deadLetters, 'AwsSolutions-SQS3', 'This queue is itself the dead-letter queue of the notifications.');
  // Another id would replace the queue, and SIEMs are configured with its URL.
  const queue = new sqs.Queue(within, 'Announcements', {
    ...QUEUE,
    retentionPeriod: KEPT,
    visibilityTimeout: Duration.minutes(10),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
  });
  acceptNotifications(queue, props);
  const policy = createReaderPolicy(within, queue, props);
  const role = props.siemReader && createReaderRole(within, { ...props, reader: props.siemReader, policy });
  return { queue, deadLetters, policy, role };
}

/**
 * A bucket that this stack creates notifies the queue of each event object. In an existing bucket this stack would overwrite other
 * notifications, so the queue only accepts them.
 */
function acceptNotifications(queue: sqs.Queue, { bucket, createdBucket }: SiemAccessProps): void {
  const resource = createdBucket?.node.defaultChild as s3.CfnBucket | undefined;
  const accepted = queue.addToResourcePolicy(
    new iam.PolicyStatement({
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      principals: [new iam.ServicePrincipal('s3.amazonaws.com')],
      conditions: {
        StringEquals: { 'aws:SourceAccount': Stack.of(queue).account },
        ArnEquals: { 'aws:SourceArn': resource ? arnByName(resource) : bucket.bucketArn },
      },
    }),
  );
  if (!resource) return;
  const filter = { s3Key: { rules: [{ name: 'prefix', value: PREFIXES.events }] } };
  const notification = { event: 's3:ObjectCreated:*', queue: queue.queueArn, filter };
  resource.notificationConfiguration = { queueConfigurations: [notification] };
  if (accepted.policyDependable) resource.node.addDependency(accepted.policyDependable);
}

function createReaderPolicy(scope: Construct, queue: sqs.Queue, props: SiemAccessProps): iam.ManagedPolicy {
  const { connectorName } = props;
  const policy = new iam.ManagedPolicy(scope, 'ReaderPolicy', {
    // Another description would replace the policy, which a SIEM has attached to a role of its own.
    description: `Reads the events of connector ${connectorName} and the queue that announces them.`,
    statements: readerStatements(scope, { ...props, queue }),
  });
  suppressWildcard(
    policy,
    eventObjects(props),
    'Firehose names the objects; the wildcard stays below the prefix of the events.',
  );
  return policy;
}

export interface ReaderStatementsProps {
  readonly bucket: s3.IBucket;
  readonly encryptionKey?: IKey | undefined;
  /** Absent: the reader lists the bucket. */
  readonly queue: sqs.IQueue | undefined;
}

/** What a SIEM needs to find and read the events, and nothing else of the bucket. */
export function readerStatements(scope: Construct, props: ReaderStatementsProps): iam.PolicyStatement[] {
  const { bucket, encryptionKey, queue } = props;
  return [
    allow(['s3:GetObject'], eventObjects(props)),
    queue ? allow(READ_QUEUE, queue.queueArn) : listing(bucket),
    ...keyStatements(scope, { readObjects: [encryptionKey, bucket.encryptionKey] }),
  ];
}

function eventObjects({ bucket }: Pick<ReaderStatementsProps, 'bucket'>): string {
  return bucket.arnForObjects(`${PREFIXES.events}*`);
}

/** The policy must exist before the bucket that sends notifications, so it names the bucket without a reference to it. */
function arnByName({ bucketName }: s3.CfnBucket): string {
  return `arn:${Aws.PARTITION}:s3:::${bucketName}`;
}

/** The queues hold names of objects and no content, so the keys of SQS are enough. */
const QUEUE = { encryption: sqs.QueueEncryption.SQS_MANAGED, enforceSSL: true };

const READ_QUEUE = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
];
