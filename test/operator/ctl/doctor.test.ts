import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import type { NotificationConfiguration, QueueConfiguration } from '@aws-sdk/client-s3';
import { describe, expect, test } from '@jest/globals';
import { clockFinding } from '../../../bin/ctl/commands/doctor/account-checks.ts';
import { threatAssetCheck } from '../../../bin/ctl/commands/doctor/api-checks.ts';
import { type Check, fail, ok, skipped, warn } from '../../../bin/ctl/commands/doctor/context.ts';
import { deliveryStreamFinding, notificationsFinding } from '../../../bin/ctl/commands/doctor/delivery-checks.ts';
import { runChecks } from '../../../bin/ctl/commands/doctor/doctor.ts';
import {
  deploymentFinding,
  functionFinding,
  subscriptionFinding,
  tableCheck,
} from '../../../bin/ctl/commands/doctor/stack-checks.ts';

test.each([
  ['ACTIVE', { status: 'ok', text: 'state is active' }],
  ['INACCESSIBLE_ENCRYPTION_CREDENTIALS', { status: 'fail', text: 'state is INACCESSIBLE_ENCRYPTION_CREDENTIALS' }],
])('the finding about a table gives its status %s', async (TableStatus, finding) => {
  const client = { send: async () => ({ Table: { TableStatus } }) };
  const context = { aws: { retryingDynamodb: () => client }, deployment: async () => ({ table: 'state' }) };
  expect(await tableCheck.run(context as never)).toMatchObject(finding);
});

test('doctor does not check the member that names the asset while the API has no threats', async () => {
  const context = { firstPage: async () => ({ rows: [] }) };
  expect(await threatAssetCheck.run(context as never)).toEqual(skipped('the API has no threat yet'));
});

describe('runChecks', () => {
  const check = (name: string, run: Check<undefined>['run'], needs: string[] = []) => ({ name, run, needs });

  test('runChecks skips a check that needs a failed or skipped check, and runs the other checks', async () => {
    const reported: string[] = [];
    const checks = [
      check('a', async () => ok('fine')),
      check('b', async () => fail('broken', 'repair it')),
      check('c', async () => ok('never made'), ['a', 'b']),
      check('d', async () => ok('never made'), ['c']),
      check('e', async () => warn('odd', 'run'), ['a']),
      check('f', async () => ok('made'), ['e']),
    ];
    const all = await runChecks(checks, undefined, ({ name, status }) => reported.push(`${name} ${status}`));
    expect(reported).toEqual(['a ok', 'b fail', 'c skipped', 'd skipped', 'e warn', 'f ok']);
    expect(all.find(({ name }) => name === 'c')?.text).toBe('needs b');
  });

  test('runChecks reports a thrown error as a failure, with its further lines as the remedy', async () => {
    const run = async () => {
      throw new Error('It broke\nRepair it.\nOr else.');
    };
    expect(await runChecks([check('a', run)], undefined, () => undefined)).toEqual([
      { name: 'a', status: 'fail', text: 'It broke', remedy: 'Repair it. Or else.' },
    ]);
  });

  test('runChecks ends at Ctrl-C without a reported failure', async () => {
    const run = async () => {
      throw new Error('AWS refused', { cause: new DOMException('aborted', 'AbortError') });
    };
    await expect(runChecks([check('a', run)], undefined, () => undefined)).rejects.toThrow('AWS refused');
  });
});

test.each([
  [[], skipped('no answer contained a time')],
  [[-29_000, 1_000], { status: 'ok' }],
  [[0, -31_000], { status: 'warn', text: expect.stringContaining('by up to 31 s') }],
  [[300_000], { status: 'fail' }],
])('the clock check reports the largest of the differences %p in milliseconds', (skews, finding) => {
  expect(clockFinding(skews)).toMatchObject(finding);
});

test.each([
  ['ACTIVE', '', ok('d is active')],
  ['CREATING', '', warn('d is being created', 'No event can be sent yet. Check again in a minute.')],
  ['DELETING', '', fail('d is DELETING', 'Deploy.')],
  ['CREATING_FAILED', 'The role is missing.', fail('d is CREATING_FAILED: The role is missing.', 'Deploy.')],
] as const)('the finding about a delivery stream follows from its status %s', (status, Details, finding) => {
  const FailureDescription = { Type: 'UNKNOWN_ERROR', Details } as const;
  expect(deliveryStreamFinding('d', { DeliveryStreamStatus: status, FailureDescription }, 'Deploy.')).toEqual(finding);
});

test.each([
  ['UPDATE_COMPLETE', 'ok', '', ''],
  ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', 'warn', 'a deployment is in progress', 'again when it has ended'],
  ['UPDATE_ROLLBACK_COMPLETE', 'warn', 'was rolled back', 'npx cdk deploy acme'],
  [
    'UPDATE_ROLLBACK_IN_PROGRESS',
    'warn',
    'was rolled back',
    'describe-stack-events --stack-name acme --region eu-west-1',
  ],
  ['UPDATE_ROLLBACK_FAILED', 'fail', 'failed', 'npx cdk rollback acme'],
  ['UPDATE_FAILED', 'fail', 'failed', 'npx cdk deploy acme'],
  ['DELETE_IN_PROGRESS', 'warn', 'deletes it', 'describe-stack-events --stack-name acme --region eu-west-1'],
])('the finding about a last deployment with the status %s is %s', (status, found, words, remedy) => {
  const finding = deploymentFinding('acme', status, 'eu-west-1');
  expect(finding.status).toBe(found);
  expect(finding.text).toMatch(new RegExp(`^${status}.*${words}`));
  expect(finding.remedy ?? '').toContain(remedy);
});

describe('the finding about a function', () => {
  const active = { State: 'Active', LastUpdateStatus: 'Successful' } as const;
  const failed = { LastUpdateStatus: 'Failed', LastUpdateStatusReasonCode: 'InvalidRuntime' } as const;

  test.each<[FunctionConfiguration, string, string]>([
    [active, 'ok', 'Lambda can start the function'],
    [{ ...active, LastUpdateStatus: 'InProgress' }, 'warn', 'Lambda is updating the function'],
    [{ ...active, ...failed }, 'fail', 'so the previous version is in use (InvalidRuntime)'],
    [{ ...active, State: 'Pending', StateReasonCode: 'Creating' }, 'warn', 'preparing the function (Creating)'],
    [{ ...active, State: 'Inactive', StateReasonCode: 'Idle' }, 'warn', 'deactivated the function because it was idle'],
    [{ ...active, State: 'Inactive', StateReasonCode: 'KMSKeyNotFound' }, 'fail', 'state is Inactive (KMSKeyNotFound)'],
    [{ ...active, State: 'Failed', StateReason: 'No address.' }, 'fail', 'its state is Failed (No address.)'],
    [{ LastUpdateStatus: 'Successful' }, 'fail', 'its state is unknown'],
  ])('the finding about a function with the configuration %j is %s', (deployed, status, text) => {
    expect(functionFinding(deployed)).toMatchObject({ status, text: expect.stringContaining(text) });
  });
});

describe('the finding about the notifications of a bucket', () => {
  const queueArn = 'arn:aws:sqs:eu-west-1:000000000000:siem';
  const topicArn = 'arn:aws:sns:eu-west-1:000000000000:new-objects';
  const ALL = ['s3:ObjectCreated:*'];

  const rule = (Name: 'prefix' | 'Prefix' | 'Suffix', Value: string) => ({ Name: Name as 'prefix', Value });
  function entry(Events: string[], rules: ReturnType<typeof rule>[], QueueArn = queueArn): QueueConfiguration {
    return { QueueArn, Events: Events as QueueConfiguration['Events'], Filter: { Key: { FilterRules: rules } } };
  }
  const EVENTS = rule('Prefix', 'events/');
  const of = (...QueueConfigurations: QueueConfiguration[]): NotificationConfiguration => ({ QueueConfigurations });
  const SOME = 'does not notify the SIEM’s queue of every new object';
  const PIECES = ['s3:ObjectCreated:Put', 's3:ObjectCreated:CompleteMultipartUpload'];

  const toTopic = ({ QueueArn: _, ...rest }: QueueConfiguration): NotificationConfiguration => ({
    TopicConfigurations: [{ TopicArn: topicArn, ...rest }],
  });

  test.each<[string, NotificationConfiguration, string, string]>([
    ['every new event', of(entry(ALL, [EVENTS])), 'ok', 'below events/'],
    ['every new event by the topic', toTopic(entry(ALL, [EVENTS])), 'ok', 'below events/'],
    ['a part of the events by the topic', toTopic(entry(ALL, [rule('Prefix', 'events/2026/')])), 'fail', SOME],
    ['a filter name in lower case', of(entry(ALL, [rule('prefix', 'events/')])), 'ok', 'below events/'],
    ['single and multipart uploads', of(entry(PIECES, [EVENTS])), 'ok', 'below events/'],
    [
      'single and multipart uploads in two entries',
      of(...PIECES.map(kind => entry([kind], [EVENTS]))),
      'ok',
      'below events/',
    ],
    ['the suffix of Firehose objects', of(entry(ALL, [EVENTS, rule('Suffix', '.gz')])), 'ok', 'below events/'],
    ['every object', of(entry(ALL, [])), 'warn', 'more than events/'],
    ['single uploads only', of(entry(PIECES.slice(0, 1), [EVENTS])), 'fail', SOME],
    ['removals', of(entry(['s3:ObjectRemoved:*'], [EVENTS])), 'fail', SOME],
    ['a part of the events', of(entry(ALL, [rule('Prefix', 'events/2026/')])), 'fail', SOME],
    ['the suffix of another format', of(entry(ALL, [EVENTS, rule('Suffix', '.parquet')])), 'fail', SOME],
    ['another queue', of(entry(ALL, [EVENTS], `${queueArn}2`)), 'fail', 'does not notify the SIEM’s queue of objects'],
    ['nothing', {}, 'fail', 'does not notify the SIEM’s queue of objects'],
    ['only EventBridge', { EventBridgeConfiguration: {} }, 'fail', 'it notifies EventBridge, which does not reach'],
    [
      'only another topic and a function',
      {
        TopicConfigurations: [{ TopicArn: 'arn:aws:sns:::t', Events: ['s3:ObjectCreated:*'] }],
        LambdaFunctionConfigurations: [{ LambdaFunctionArn: queueArn, Events: ['s3:ObjectCreated:*'] }],
      },
      'fail',
      'does not notify the SIEM’s queue of objects',
    ],
  ])(
    'the finding about notifications that cover %s says whether the SIEM learns of every event',
    (_, reported, status, text) => {
      const finding = notificationsFinding(reported, { queueArn, topicArn }, 'Add it.');
      expect(finding).toMatchObject({ status, text: expect.stringContaining(text) });
      expect(finding.remedy).toBe(status === 'ok' ? undefined : 'Add it.');
    },
  );
});

test.each([
  [
    ['arn:aws:sns:eu-west-1:111122223333:t:1', 'PendingConfirmation', 'Deleted'],
    'ok',
    '1 confirmed (email); 1 pending',
  ],
  [['PendingConfirmation', 'Deleted'], 'warn', 'not confirmed: '],
  [['Deleted'], 'fail', 'no subscription: nobody is notified of alarms'],
])('the finding about the subscriptions %j counts confirmed and pending subscriptions', (arns, status, text) => {
  const subscriptions = arns.map(SubscriptionArn => ({ SubscriptionArn, Protocol: 'email' }));
  const finding = subscriptionFinding(subscriptions, 'arn:aws:sns:eu-west-1:111122223333:t');
  expect(finding).toMatchObject({ status, text: expect.stringContaining(text) });
});
