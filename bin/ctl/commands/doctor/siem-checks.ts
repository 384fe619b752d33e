/** Checks of the SIEM's side: delivery stream, bucket, queue, notifications, reader policy. */
import type { DeliveryStreamDescription } from '@aws-sdk/client-firehose';
import { GetPolicyCommand, GetPolicyVersionCommand, paginateListAttachedRolePolicies } from '@aws-sdk/client-iam';
import {
  GetBucketNotificationConfigurationCommand,
  type NotificationConfiguration,
  type QueueConfiguration,
} from '@aws-sdk/client-s3';
import { paginateListSubscriptionsByTopic } from '@aws-sdk/client-sns';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import { PERMISSION } from '../../alarms.ts';
import { type Aws, collected } from '../../aws.ts';
import { countObjects } from '../../bucket.ts';
import { describeDeliveryStream } from '../../delivery-place.ts';
import { restore } from '../../deployment.ts';
import { AwsCallError, awsCall } from '../../errors.ts';
import { queueAttributes } from '../dead-letters/counts.ts';
import { check, type Finding, fail, ok, skipped, warn } from './context.ts';

const NO_QUEUE = 'the SIEM does not read from a queue';

export const siemQueue = check('siem-queue', ['stack'], async ({ aws, deployment }) => {
  const { siem, stackName } = await deployment();
  if (!siem) return skipped(NO_QUEUE);
  const attributes = await queueAttributes(aws, siem.queueUrl, ['RedrivePolicy', 'Policy']);
  if (!attributes.Policy?.includes('sns.amazonaws.com')) {
    return fail('its policy does not allow notifications from its topic', restore(stackName, 'the policy'));
  }
  if (!attributes.RedrivePolicy) {
    return fail('it has no dead-letter queue', restore(stackName, 'the dead-letter queue'));
  }
  return ok('it accepts notifications from its topic and has a dead-letter queue');
});

const QUEUE_ACTIONS = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** The policy that the stack creates allows what a reader does. */
export const readerPolicy = check('reader-policy', ['siem-queue'], async ({ aws, deployment }) => {
  const { siem, bucket, stackName } = await deployment();
  if (!siem) return skipped(NO_QUEUE);
  const policy = await awsCall(
    readPolicy(aws, siem.policyArn, siem.roleArn),
    `The policy ${siem.policyArn} could not be read`,
    'You need iam:GetPolicy and iam:GetPolicyVersion on it, and iam:ListAttachedRolePolicies on the role.',
  );
  const wanted = [
    ['s3:GetObject', `arn:${partitionOf(siem.policyArn)}:s3:::${bucket}/${PREFIXES.events}2026/01/01/00/some.json.gz`],
    ...QUEUE_ACTIONS.map(action => [action, siem.queueArn]),
  ] as [string, string][];
  const refused = wanted.filter(([action, resource]) => !permits(policy.statements, action, resource));
  if (refused.length > 0) {
    return fail(`it does not allow ${refused.map(([action]) => action).join(', ')}`, restore(stackName, 'the policy'));
  }
  if (!siem.roleArn) return ok('it allows what a reader needs; attach it to the identity of the SIEM');
  if (!policy.attached) return fail('the reader role does not have it', restore(stackName, 'the role'));
  return ok('it allows what a reader needs, and the reader role has it');
});

/** The partitions of China and GovCloud differ. */
function partitionOf(arn: string): string {
  return arn.split(':')[1] ?? 'aws';
}

/** An existing bucket (`bucketArn`) needs notifications from its own administrator. */
export const notifications = check('notifications', ['bucket', 'siem-queue'], async ({ aws, deployment }) => {
  const { bucket: name, siem, stackName } = await deployment();
  if (!siem) return skipped(NO_QUEUE);
  const configuration = await awsCall(
    aws.s3().send(new GetBucketNotificationConfigurationCommand({ Bucket: name })),
    `The notifications of the bucket ${name} could not be read`,
    'You need s3:GetBucketNotification on it.',
  );
  const { queueArn, topicArn } = siem;
  const finding = notificationsFinding(configuration, { bucket: name, queueArn, topicArn, stackName });
  const isDirect = notificationsOf(configuration).some(({ target }) => target === queueArn);
  if (finding.status === 'fail' || isDirect) return finding;

  const subscribed = await subscribedTo(aws, topicArn);
  if (subscribed === undefined)
    return warn(`the subscriptions of ${topicArn} cannot be read`, `You need ${PERMISSION} on it.`);
  if (!subscribed.includes(queueArn))
    return fail(
      'the topic of new objects does not deliver to the SIEM’s queue',
      restore(stackName, 'the subscription'),
    );
  return finding;
});

/** Endpoints of the subscriptions of a topic, or undefined where SNS denies access. */
async function subscribedTo(aws: Aws, topicArn: string): Promise<readonly string[] | undefined> {
  const pages = paginateListSubscriptionsByTopic({ client: aws.sns() }, { TopicArn: topicArn });
  try {
    return (await collected(pages, page => page.Subscriptions)).map(({ Endpoint = '' }) => Endpoint);
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'NotFoundException') return [];
    if (name === 'AuthorizationErrorException') return undefined;
    throw new AwsCallError(
      `The subscriptions of ${topicArn} could not be read`,
      `You need ${PERMISSION} on it.`,
      cause,
    );
  }
}

export interface WantedNotification {
  readonly bucket: string;
  /** Topic of new objects. */
  readonly topicArn: string;
  /** The SIEM's queue, which an existing bucket may notify itself. */
  readonly queueArn: string;
  readonly stackName: string;
}

interface Notification extends Pick<QueueConfiguration, 'Events' | 'Filter'> {
  readonly target: string | undefined;
}

function notificationsOf({ QueueConfigurations, TopicConfigurations }: NotificationConfiguration): Notification[] {
  return [
    ...(QueueConfigurations ?? []).map(({ QueueArn: target, ...rest }) => ({ target, ...rest })),
    ...(TopicConfigurations ?? []).map(({ TopicArn: target, ...rest }) => ({ target, ...rest })),
  ];
}

/** File extension of delivered objects. */
const ENDING = '.json.gz';
/** Firehose uses multipart uploads for large objects, so both events are needed. */
const CREATED = ['s3:ObjectCreated:Put', 's3:ObjectCreated:CompleteMultipartUpload'];

export function notificationsFinding(configuration: NotificationConfiguration, wanted: WantedNotification): Finding {
  const { events } = PREFIXES;
  const targets = [wanted.topicArn, wanted.queueArn];
  const own = notificationsOf(configuration).filter(({ target = '' }) => targets.includes(target));
  const whole = own.filter(
    each => events.startsWith(filterOf(each, 'prefix')) && ENDING.endsWith(filterOf(each, 'suffix')),
  );
  const lacking = CREATED.filter(kind => !whole.some(({ Events = [] }) => Events.some(each => covers(each, kind))));
  if (lacking.length === 0) {
    if (whole.some(each => filterOf(each, 'prefix') === events)) {
      return ok(`the bucket notifies the SIEM’s queue of objects below ${events}`);
    }
    const text = `the bucket notifies the SIEM’s queue of more than ${events}: the reader has no access to the rest`;
    return warn(text, remedy(wanted));
  }
  if (own.length > 0) {
    return fail(`the bucket does not notify the SIEM’s queue of every new object below ${events}`, remedy(wanted));
  }
  const other = configuration.EventBridgeConfiguration
    ? ': it notifies EventBridge, which does not reach the queue'
    : '';
  return fail(`the bucket does not notify the SIEM’s queue of objects${other}`, remedy(wanted));
}

function covers(event: string, kind: string): boolean {
  return event === kind || event === 's3:ObjectCreated:*';
}

/** Empty without such a filter. */
function filterOf({ Filter }: Notification, name: 'prefix' | 'suffix'): string {
  return Filter?.Key?.FilterRules?.find(rule => rule.Name?.toLowerCase() === name)?.Value ?? '';
}

function remedy({ bucket, topicArn, stackName }: WantedNotification): string {
  return (
    `Existing bucket (bucketArn): in the console of ${bucket} add an event notification of s3:ObjectCreated:*, prefix ${PREFIXES.events}, ` +
    `to the topic ${topicArn}. put-bucket-notification-configuration would replace all others. ` +
    `Bucket of the stack: ${restore(stackName)}`
  );
}

export const deliveryStream = check('delivery-stream', ['stack'], async ({ aws, deployment }) => {
  const { deliveryStream: name, stackName } = await deployment();
  const remedy = `No event can be sent. ${restore(stackName)}`;
  return deliveryStreamFinding(name, await describeDeliveryStream(aws, name, remedy), remedy);
});

export function deliveryStreamFinding(
  name: string,
  { DeliveryStreamStatus: status, FailureDescription: failure }: Partial<DeliveryStreamDescription>,
  remedy: string,
): Finding {
  if (status === 'ACTIVE') return ok(`${name} is active`);
  if (status === 'CREATING')
    return warn(`${name} is being created`, 'No event can be sent yet. Check again in a minute.');
  return fail(`${name} is ${status}${failure?.Details ? `: ${failure.Details}` : ''}`, remedy);
}

export const bucket = check('bucket', ['stack'], async ({ aws, deployment }) => {
  const { bucket: name } = await deployment();
  const { count } = await awsCall(
    countObjects(aws, name, PREFIXES.events, 1),
    `The bucket ${name} could not be listed`,
    'You need s3:ListBucket on it.',
  );
  return ok(`${name} ${count > 0 ? 'has events' : 'has no event yet'}`);
});

/** Statements of the default version of a managed policy, and whether the role has it. True without a role. */
async function readPolicy(aws: Aws, policyArn: string, roleArn: string | undefined) {
  const iam = aws.iam();
  const { Policy } = await iam.send(new GetPolicyCommand({ PolicyArn: policyArn }));
  const version = { PolicyArn: policyArn, VersionId: Policy?.DefaultVersionId ?? 'v1' };
  const { PolicyVersion } = await iam.send(new GetPolicyVersionCommand(version));
  // IAM gives the document percent-encoded.
  const { Statement = [] } = JSON.parse(decodeURIComponent(PolicyVersion?.Document ?? '%7B%7D'));
  const statements: readonly Statement[] = [Statement].flat();
  if (!roleArn) return { statements, attached: true };
  const role = { RoleName: roleArn.slice(roleArn.lastIndexOf('/') + 1) };
  const pages = paginateListAttachedRolePolicies({ client: iam }, role);
  const all = await collected(pages, page => page.AttachedPolicies);
  return { statements, attached: all.some(each => each.PolicyArn === policyArn) };
}

/** The members of an IAM policy statement that are checked here. */
export interface Statement {
  readonly Effect: string;
  readonly Action?: string | readonly string[];
  readonly Resource?: string | readonly string[];
}

/** Whether a policy allows an action on a resource. Conditions are ignored. */
export function permits(statements: readonly Statement[], action: string, resource: string): boolean {
  const about = statements.filter(
    ({ Action = [], Resource = [] }) =>
      matches([Action].flat(), action, 'i') && matches([Resource].flat(), resource, ''),
  );
  return about.some(({ Effect }) => Effect === 'Allow') && !about.some(({ Effect }) => Effect === 'Deny');
}

/** IAM's wildcards: `*` for any text, `?` for any character. */
function matches(patterns: readonly string[], text: string, flags: string): boolean {
  return patterns.some(pattern => {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${source}$`, `s${flags}`).test(text);
  });
}
