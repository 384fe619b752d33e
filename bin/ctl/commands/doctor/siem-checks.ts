/** Checks of the SIEM's side: delivery stream, bucket, queue, notifications, reader policy. */
import { DescribeDeliveryStreamCommand } from '@aws-sdk/client-firehose';
import { GetPolicyCommand, GetPolicyVersionCommand, paginateListAttachedRolePolicies } from '@aws-sdk/client-iam';
import {
  GetBucketNotificationConfigurationCommand,
  ListObjectsV2Command,
  type NotificationConfiguration,
  type QueueConfiguration,
} from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import type { Aws } from '../../aws.ts';
import { restore } from '../../deployment.ts';
import { AwsCallError, isMissing } from '../../errors.ts';
import { type Check, type DoctorContext, type Finding, fail, ok, skipped, warn } from './context.ts';

const NO_QUEUE = 'the SIEM does not read from a queue';

export const siemQueue: Check<DoctorContext> = {
  name: 'siem-queue',
  needs: ['stack'],
  async run({ aws, deployment }) {
    const { siem, stackName } = await deployment();
    if (!siem) return skipped(NO_QUEUE);
    const names = ['QueueArn', 'RedrivePolicy', 'Policy'] as const;
    const command = new GetQueueAttributesCommand({ QueueUrl: siem.queueUrl, AttributeNames: [...names] });
    try {
      const { Attributes: attributes = {} } = await aws.sqs().send(command);
      if (!attributes.Policy?.includes('s3.amazonaws.com')) {
        return fail('its policy does not allow notifications from S3', restore(stackName, 'the policy'));
      }
      if (!attributes.RedrivePolicy) {
        return fail('it has no dead-letter queue', restore(stackName, 'the dead-letter queue'));
      }
      return ok('it accepts notifications from S3 and has a dead-letter queue');
    } catch (cause) {
      throw new AwsCallError(
        `The queue ${siem.queueUrl} could not be read`,
        'You need sqs:GetQueueAttributes on it.',
        cause,
      );
    }
  },
};

const QUEUE_ACTIONS = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** The policy that the stack creates allows what a reader does. */
export const readerPolicy: Check<DoctorContext> = {
  name: 'reader-policy',
  needs: ['siem-queue'],
  async run({ aws, deployment }) {
    const { siem, bucket, outputs, stackName } = await deployment();
    if (!siem) return skipped(NO_QUEUE);
    const policy = await readPolicy(aws, siem.policyArn, siem.roleArn);
    const wanted = [
      [
        's3:GetObject',
        `arn:${partitionOf(siem.policyArn)}:s3:::${bucket}/${PREFIXES.events}2026/01/01/00/some.json.gz`,
      ],
      ...QUEUE_ACTIONS.map(action => [action, outputs.get('SiemQueueArn') ?? '']),
    ] as [string, string][];
    const refused = wanted.filter(([action, resource]) => !permits(policy.statements, action, resource));
    if (refused.length > 0) {
      return fail(
        `it does not allow ${refused.map(([action]) => action).join(', ')}`,
        restore(stackName, 'the policy'),
      );
    }
    if (!siem.roleArn) return ok('it allows what a reader needs; attach it to the identity of the SIEM');
    if (!policy.attached) return fail('the reader role does not have it', restore(stackName, 'the role'));
    return ok('it allows what a reader needs, and the reader role has it');
  },
};

/** The partitions of China and GovCloud differ. */
function partitionOf(arn: string): string {
  return arn.split(':')[1] ?? 'aws';
}

/** An existing bucket (`bucketArn`) needs notifications from its own administrator. */
export const notifications: Check<DoctorContext> = {
  name: 'notifications',
  needs: ['bucket', 'siem-queue', 'delivery-stream'],
  async run({ aws, deployment }) {
    const { bucket: name, outputs, siem, stackName, deliveryStream: stream } = await deployment();
    if (!siem) return skipped(NO_QUEUE);
    try {
      const configuration = await aws.s3().send(new GetBucketNotificationConfigurationCommand({ Bucket: name }));
      const queueArn = outputs.get('SiemQueueArn') ?? '';
      return notificationsFinding(configuration, {
        bucket: name,
        queueArn,
        stackName,
        ending: await endingOf(aws, stream),
      });
    } catch (cause) {
      const advice = 'You need s3:GetBucketNotification on it.';
      throw new AwsCallError(`The notifications of the bucket ${name} could not be read`, advice, cause);
    }
  },
};

export interface WantedNotification {
  readonly bucket: string;
  readonly queueArn: string;
  readonly stackName: string;
  /** File extension of delivered objects. */
  readonly ending: string;
}

async function endingOf(aws: Aws, name: string): Promise<string> {
  const command = new DescribeDeliveryStreamCommand({ DeliveryStreamName: name });
  const { DeliveryStreamDescription: description } = await aws.firehose().send(command);
  const { DataFormatConversionConfiguration: conversion } =
    description?.Destinations?.[0]?.ExtendedS3DestinationDescription ?? {};
  return conversion?.Enabled ? '.parquet' : '.json.gz';
}

/** Firehose uses multipart uploads for large objects, so both events are needed. */
const CREATED = ['s3:ObjectCreated:Put', 's3:ObjectCreated:CompleteMultipartUpload'];

export function notificationsFinding(
  { QueueConfigurations: all = [], EventBridgeConfiguration: bridge }: NotificationConfiguration,
  wanted: WantedNotification,
): Finding {
  const { events } = PREFIXES;
  const own = all.filter(({ QueueArn }) => QueueArn === wanted.queueArn);
  const whole = own.filter(
    each => events.startsWith(filterOf(each, 'prefix')) && wanted.ending.endsWith(filterOf(each, 'suffix')),
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
  const other = bridge ? ': it notifies EventBridge, which does not reach the queue' : '';
  return fail(`the bucket does not notify the SIEM’s queue of objects${other}`, remedy(wanted));
}

function covers(event: string, kind: string): boolean {
  return event === kind || event === 's3:ObjectCreated:*';
}

/** Empty without such a filter. */
function filterOf({ Filter }: QueueConfiguration, name: 'prefix' | 'suffix'): string {
  return Filter?.Key?.FilterRules?.find(rule => rule.Name?.toLowerCase() === name)?.Value ?? '';
}

function remedy({ bucket, queueArn, stackName }: WantedNotification): string {
  return (
    `Existing bucket (bucketArn): in the console of ${bucket} add an event notification of s3:ObjectCreated:*, prefix ${PREFIXES.events}, ` +
    `to ${queueArn}. put-bucket-notification-configuration would replace all others. ` +
    `Bucket of the stack: ${restore(stackName)}`
  );
}

export const deliveryStream: Check<DoctorContext> = {
  name: 'delivery-stream',
  needs: ['stack'],
  async run({ aws, deployment }) {
    const { deliveryStream: name, stackName } = await deployment();
    const command = new DescribeDeliveryStreamCommand({ DeliveryStreamName: name });
    try {
      const { DeliveryStreamDescription: description } = await aws.firehose().send(command);
      const status = description?.DeliveryStreamStatus;
      if (status === 'ACTIVE') return ok(`${name} is active`);
      const why = description?.FailureDescription?.Details;
      if (status === 'CREATING')
        return warn(`${name} is being created`, 'No event can be sent yet. Check again in a minute.');
      const remedy = `No event can be sent. ${restore(stackName)}`;
      return fail(`${name} is ${status}${why ? `: ${why}` : ''}`, remedy);
    } catch (cause) {
      if (isMissing(cause)) return fail(`${name} does not exist`, `No event can be sent. ${restore(stackName)}`);
      const advice = 'You need firehose:DescribeDeliveryStream on it.';
      throw new AwsCallError(`The delivery stream ${name} could not be described`, advice, cause);
    }
  },
};

export const bucket: Check<DoctorContext> = {
  name: 'bucket',
  needs: ['stack'],
  async run({ aws, deployment }) {
    const { bucket: name } = await deployment();
    try {
      const { KeyCount: count = 0 } = await aws
        .s3()
        .send(new ListObjectsV2Command({ Bucket: name, Prefix: PREFIXES.events, MaxKeys: 1 }));
      return ok(`${name} ${count > 0 ? 'has events' : 'has no event yet'}`);
    } catch (cause) {
      throw new AwsCallError(`The bucket ${name} could not be listed`, 'You need s3:ListBucket on it.', cause);
    }
  },
};

interface ReaderPolicy {
  readonly statements: readonly Statement[];
  /** Whether the role has the policy, true without a role. */
  readonly attached: boolean;
}

/** The default version of a managed policy. @throws AwsCallError */
async function readPolicy(aws: Aws, policyArn: string, roleArn: string | undefined): Promise<ReaderPolicy> {
  const iam = aws.iam();
  try {
    const { Policy } = await iam.send(new GetPolicyCommand({ PolicyArn: policyArn }));
    const version = { PolicyArn: policyArn, VersionId: Policy?.DefaultVersionId ?? 'v1' };
    const { PolicyVersion } = await iam.send(new GetPolicyVersionCommand(version));
    // IAM gives the document percent-encoded.
    const { Statement: statements = [] } = JSON.parse(decodeURIComponent(PolicyVersion?.Document ?? '%7B%7D'));
    return { statements: [statements].flat(), attached: !roleArn || (await isAttached(aws, policyArn, roleArn)) };
  } catch (cause) {
    const advice =
      'You need iam:GetPolicy and iam:GetPolicyVersion on it, and iam:ListAttachedRolePolicies on the role.';
    throw new AwsCallError(`The policy ${policyArn} could not be read`, advice, cause);
  }
}

async function isAttached(aws: Aws, policyArn: string, roleArn: string): Promise<boolean> {
  const RoleName = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  for await (const { AttachedPolicies = [] } of paginateListAttachedRolePolicies({ client: aws.iam() }, { RoleName })) {
    if (AttachedPolicies.some(each => each.PolicyArn === policyArn)) return true;
  }
  return false;
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
