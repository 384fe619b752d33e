/**
 * Calls of connectorctl, grouped by the grant of the construct that allows them. `grantInspect`,
 * `grantOperate` and docs/permissions.md follow from this table. A test compares the table with the
 * calls that each command makes.
 */
import { PREFIXES } from '../prefixes.ts';

/**
 * `inspect` allows commands that change nothing. `operate` also allows commands that change
 * something.
 */
export type OperatorGrant = 'inspect' | 'operate';

export interface OperatorPermission<Resource extends string> {
  readonly grant: OperatorGrant;
  /** Resource, in the words of the documents. */
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
  inspect('`*`', ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData', 'sts:GetCallerIdentity']),
  inspect('every stack, without `--stack`', ['cloudformation:DescribeStacks']),
  inspect('objects below `dead-letter/`', ['s3:GetObject'], {
    uncalled: 'docs/runbook.md prints a dead letter with `aws s3 cp`.',
  }),
  inspect('objects below `delivery-errors/`', ['s3:GetObject'], {
    uncalled: 'docs/runbook.md prints a failed delivery with `aws s3 cp`.',
  }),
  inspect('the bucket', ['s3:GetBucketNotification']),
  inspect('the bucket', ['s3:ListBucket'], {
    conditions: { StringLike: { 's3:prefix': Object.values(PREFIXES).map(prefix => `${prefix}*`) } },
  }),
  inspect('the delivery stream', ['firehose:DescribeDeliveryStream']),
  inspect('the function', ['lambda:GetFunctionConfiguration']),
  inspect('the function’s log group', ['logs:FilterLogEvents']),
  inspect('the schedule', ['scheduler:GetSchedule']),
  inspect('the schedule’s dead-letter queue', ['sqs:GetQueueAttributes']),
  inspect('the schedule’s dead-letter queue', ['sqs:ReceiveMessage'], { uncalled: SHOWS_MESSAGES }),
  inspect('the secret', ['secretsmanager:GetSecretValue']),
  inspect('the SIEM’s dead-letter queue', ['sqs:GetQueueAttributes']),
  inspect('the SIEM’s dead-letter queue', ['sqs:ReceiveMessage'], { uncalled: SHOWS_MESSAGES }),
  inspect('the SIEM’s queue', ['sqs:GetQueueAttributes']),
  inspect('the state table', ['dynamodb:BatchGetItem', 'dynamodb:DescribeTable', 'dynamodb:Query', 'dynamodb:Scan']),
  inspect('the topic of the alarms', ['sns:ListSubscriptionsByTopic']),
  operate('the alarms `<connector>/critical` and `<connector>/warning`', [
    'cloudwatch:DisableAlarmActions',
    'cloudwatch:EnableAlarmActions',
  ]),
  operate('objects below `delivery-errors/`', ['s3:DeleteObject']),
  operate('the delivery stream', ['firehose:PutRecord', 'firehose:PutRecordBatch']),
  operate('the function', ['lambda:InvokeFunction']),
  operate('the schedule', ['scheduler:UpdateSchedule']),
  operate('the schedule’s role', ['iam:PassRole'], {
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
    uncalled: 'EventBridge Scheduler checks it when `pause` or `resume` updates the schedule.',
  }),
  operate('the secret', ['secretsmanager:PutSecretValue']),
  operate('the SIEM’s dead-letter queue', ['sqs:DeleteMessage', 'sqs:StartMessageMoveTask'], {
    uncalled: MOVES_MESSAGES,
  }),
  operate('the SIEM’s queue', ['sqs:SendMessage'], { uncalled: MOVES_MESSAGES }),
];

export type OperatorResource = (typeof TABLE)[number]['on'];

export const OPERATOR_PERMISSIONS: readonly OperatorPermission<OperatorResource>[] = TABLE;

type Details = Pick<OperatorPermission<string>, 'conditions' | 'uncalled'>;

function inspect<On extends string>(on: On, actions: readonly string[], details?: Details): OperatorPermission<On> {
  return { grant: 'inspect', on, actions, ...details };
}

function operate<On extends string>(on: On, actions: readonly string[], details?: Details): OperatorPermission<On> {
  return { grant: 'operate', on, actions, ...details };
}

/** Returns the permissions of a grant. `operate` includes `inspect`. */
export function permissionsOf(grant: OperatorGrant): readonly OperatorPermission<OperatorResource>[] {
  return OPERATOR_PERMISSIONS.filter(permission => grant === 'operate' || permission.grant === 'inspect');
}
