import { Duration } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import { FilterOrPolicy, Subscription, SubscriptionFilter, type Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ConnectorOptions } from '../config/props.ts';
import type { NamedSiemReader, SiemAccess } from '../connector-props.ts';
import type { DataBucket } from '../data-bucket.ts';
import { bucketConditions } from '../new-objects-topic.ts';
import { PREFIXES } from '../prefixes.ts';
import { allowStatement, keyStatements, listEventsStatement } from '../statements.ts';
import { createReaderRole } from './siem-reader.ts';

export interface SiemAccessProps extends ConnectorOptions {
  readonly bucket: s3.IBucket;
  /** Bucket that the connector creates; undefined when the bucket existed before. */
  readonly createdBucket: DataBucket | undefined;
  readonly newObjectsTopic: Topic;
}

/**
 * Longest time for which SQS keeps a message. A SIEM that reads nothing for this long loses
 * notifications.
 */
const KEPT = Duration.days(14);

/** Number of times that a SIEM may receive a notification without deleting it. */
const MAX_RECEIVES = 10;

/**
 * @param siemReader reader for which to create the access; the reader of `siemQueue` has no name
 */
export function createSiemAccess(
  within: Construct,
  props: SiemAccessProps,
  siemReader: Partial<NamedSiemReader> = {},
): SiemAccess {
  const { queue, deadLetters } = siemReader.queue
    ? { queue: siemReader.queue, deadLetters: undefined }
    : createQueues(within);
  // An existing bucket may notify the queue directly, without the topic, as long as the bucket has
  // no other reader.
  if (!props.createdBucket && siemReader.name === undefined) acceptBucket(queue, props);
  const subscription = subscribe(siemReader.queue ? within : queue, { queue, deadLetters }, props);

  const policy = new iam.ManagedPolicy(within, 'ReaderPolicy', {
    // A change of the description would replace the policy, which a SIEM has attached to a role of
    // its own.
    description: `Reads the events of connector ${props.connectorName} and the queue that announces them.`,
    statements: readerStatements(within, { ...props, queue }),
  });
  const name = siemReader.name === undefined ? props.connectorName : `${props.connectorName}-${siemReader.name}`;
  const role = siemReader.reader && createReaderRole(within, name, siemReader.reader, policy);
  return { queue, deadLetters, subscription, policy, role };
}

function createQueues(within: Construct) {
  const deadLetters = new sqs.Queue(within, 'Unread', { ...QUEUE, retentionPeriod: KEPT });
  // A change of the id would replace the queue, and SIEMs are configured with its URL.
  const queue = new sqs.Queue(within, 'Announcements', {
    ...QUEUE,
    retentionPeriod: KEPT,
    visibilityTimeout: Duration.minutes(10),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
  });
  return { queue, deadLetters };
}

/**
 * Subscribes the queue to the new objects. The queue receives S3's own format, which SIEMs read.
 * The filter drops S3's test message, which would otherwise wait in the queue until a SIEM is
 * connected, and would make the alarm `siem-reader-stalled` go off. SNS may take 15 minutes to
 * apply a new filter, so the subscription comes after the bucket, whose creation sends the first
 * test message.
 */
function subscribe(
  scope: Construct,
  { queue, deadLetters }: Pick<SiemAccess, 'queue' | 'deadLetters'>,
  props: SiemAccessProps,
): Subscription {
  const { newObjectsTopic: topic, createdBucket } = props;
  const { subscriberScope, subscriberId, subscriptionDependency, ...settings } = new SqsSubscription(queue, {
    rawMessageDelivery: true,
    filterPolicyWithMessageBody: { Records: FilterOrPolicy.policy({ eventName: CREATED }) },
    ...(deadLetters && { deadLetterQueue: deadLetters }),
  }).bind(topic);

  // The id that the CDK suggests contains the path of the stack. A changed id would end the
  // delivery: CloudFormation subscribes under the new id, SNS answers with the existing
  // subscription, and CloudFormation then deletes this subscription together with the old id.
  const subscription = new Subscription(scope, 'Subscription', { topic, ...settings });

  if (subscriptionDependency) subscription.node.addDependency(subscriptionDependency);
  if (createdBucket) subscription.node.addDependency(createdBucket.node.defaultChild!);
  return subscription;
}

const CREATED = FilterOrPolicy.filter(SubscriptionFilter.stringFilter({ matchPrefixes: ['ObjectCreated:'] }));

function acceptBucket(queue: sqs.IQueue, { bucket }: SiemAccessProps): void {
  queue.addToResourcePolicy(
    new iam.PolicyStatement({
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      principals: [new iam.ServicePrincipal('s3.amazonaws.com')],
      conditions: bucketConditions(queue, bucket.bucketArn),
    }),
  );
}

export interface ReaderStatementsProps {
  readonly bucket: s3.IBucket;
  readonly encryptionKey?: IKey | undefined;
  /** Queue of the reader; undefined when the reader lists the bucket instead. */
  readonly queue: sqs.IQueue | undefined;
}

/**
 * Returns the statements that allow a SIEM to find and read the events, but nothing else in the
 * bucket.
 */
export function readerStatements(scope: Construct, props: ReaderStatementsProps): iam.PolicyStatement[] {
  const { bucket, encryptionKey, queue } = props;
  return [
    allowStatement(['s3:GetObject'], bucket.arnForObjects(`${PREFIXES.events}*`)),
    queue ? allowStatement(READ_QUEUE, queue.queueArn) : listEventsStatement(bucket),
    ...keyStatements(scope, { readObjects: [encryptionKey, bucket.encryptionKey] }),
  ];
}

/**
 * Settings of both queues. Their messages contain names of objects, but no content, so the keys of
 * SQS are enough.
 */
const QUEUE = { encryption: sqs.QueueEncryption.SQS_MANAGED, enforceSSL: true };

const READ_QUEUE = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
];
