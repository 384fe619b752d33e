/**
 * Calls of connectorctl, grouped by the grant of the construct that allows them. `grantInspect` and
 * `grantOperate`, and docs/permissions.md follow from this table, and a test compares it with the
 * calls that each command makes.
 */
import { PREFIXES } from '../prefixes.ts';

/**
 * `inspect` allows commands that change nothing. `operate` also allows commands that change
 * something.
 */
export type OperatorGrant = 'inspect' | 'operate';

export interface OperatorPermission<Resource extends string = OperatorResource> {
  readonly grant: OperatorGrant;
  /** Resource as the documents name it. */
  readonly on: Resource;
  readonly actions: readonly string[];
  /** Conditions that narrow the statement. */
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  /** Reason why these actions are not among the recorded calls of the commands. */
  readonly uncalled?: string;
}

const SHOWS_MESSAGES = 'docs/runbook.md shows messages with `aws sqs receive-message`.';
const MOVES_MESSAGES = 'docs/runbook.md moves messages with `aws sqs start-message-move-task`.';

const TABLE = [
  {
    grant: 'inspect',
    on: '`*`',
    actions: ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData', 'sts:GetCallerIdentity'],
  },
  { grant: 'inspect', on: 'every stack, without `--stack`', actions: ['cloudformation:DescribeStacks'] },
  {
    grant: 'inspect',
    on: 'objects below `dead-letter/`',
    actions: ['s3:GetObject'],
    uncalled: 'docs/runbook.md prints a dead letter with `aws s3 cp`.',
  },
  {
    grant: 'inspect',
    on: 'objects below `delivery-errors/`',
    actions: ['s3:GetObject'],
    uncalled: 'docs/runbook.md prints a failed delivery with `aws s3 cp`.',
  },
  { grant: 'inspect', on: 'the bucket', actions: ['s3:GetBucketNotification'] },
  {
    grant: 'inspect',
    on: 'the bucket',
    actions: ['s3:ListBucket'],
    conditions: { StringLike: { 's3:prefix': Object.values(PREFIXES).map(prefix => `${prefix}*`) } },
  },
  { grant: 'inspect', on: 'the delivery stream', actions: ['firehose:DescribeDeliveryStream'] },
  { grant: 'inspect', on: 'the function', actions: ['lambda:GetFunctionConfiguration'] },
  { grant: 'inspect', on: 'the function’s log group', actions: ['logs:FilterLogEvents'] },
  { grant: 'inspect', on: 'the schedule', actions: ['scheduler:GetSchedule'] },
  { grant: 'inspect', on: 'the schedule’s dead-letter queue', actions: ['sqs:GetQueueAttributes'] },
  {
    grant: 'inspect',
    on: 'the schedule’s dead-letter queue',
    actions: ['sqs:ReceiveMessage'],
    uncalled: SHOWS_MESSAGES,
  },
  { grant: 'inspect', on: 'the secret', actions: ['secretsmanager:GetSecretValue'] },
  { grant: 'inspect', on: 'the SIEM’s dead-letter queue', actions: ['sqs:GetQueueAttributes'] },
  { grant: 'inspect', on: 'the SIEM’s dead-letter queue', actions: ['sqs:ReceiveMessage'], uncalled: SHOWS_MESSAGES },
  { grant: 'inspect', on: 'the SIEM’s queue', actions: ['sqs:GetQueueAttributes'] },
  {
    grant: 'inspect',
    on: 'the state table',
    actions: ['dynamodb:BatchGetItem', 'dynamodb:DescribeTable', 'dynamodb:Query', 'dynamodb:Scan'],
  },
  { grant: 'inspect', on: 'the topic of the alarms', actions: ['sns:ListSubscriptionsByTopic'] },
  {
    grant: 'operate',
    on: 'the alarms `<connector>/critical` and `<connector>/warning`',
    actions: ['cloudwatch:DisableAlarmActions', 'cloudwatch:EnableAlarmActions'],
  },
  { grant: 'operate', on: 'objects below `delivery-errors/`', actions: ['s3:DeleteObject'] },
  { grant: 'operate', on: 'the delivery stream', actions: ['firehose:PutRecord', 'firehose:PutRecordBatch'] },
  { grant: 'operate', on: 'the function', actions: ['lambda:InvokeFunction'] },
  { grant: 'operate', on: 'the schedule', actions: ['scheduler:UpdateSchedule'] },
  {
    grant: 'operate',
    on: 'the schedule’s role',
    actions: ['iam:PassRole'],
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
    uncalled: 'EventBridge Scheduler checks it when `pause` or `resume` updates the schedule.',
  },
  { grant: 'operate', on: 'the secret', actions: ['secretsmanager:PutSecretValue'] },
  {
    grant: 'operate',
    on: 'the SIEM’s dead-letter queue',
    actions: ['sqs:DeleteMessage', 'sqs:StartMessageMoveTask'],
    uncalled: MOVES_MESSAGES,
  },
  { grant: 'operate', on: 'the SIEM’s queue', actions: ['sqs:SendMessage'], uncalled: MOVES_MESSAGES },
] as const satisfies readonly OperatorPermission<string>[];

export type OperatorResource = (typeof TABLE)[number]['on'];

export const OPERATOR_PERMISSIONS: readonly OperatorPermission[] = TABLE;

/** Returns the permissions of a grant. `operate` includes `inspect`. */
export function permissionsOf(grant: OperatorGrant): readonly OperatorPermission[] {
  return OPERATOR_PERMISSIONS.filter(permission => grant === 'operate' || permission.grant === 'inspect');
}
