/** What the doctor makes of what it is told, without AWS. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NotificationConfiguration, QueueConfiguration } from '@aws-sdk/client-s3';
import { SNSClient } from '@aws-sdk/client-sns';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readSubscriptions } from '../../../bin/ctl/alarms/read-subscriptions.ts';
import type { Aws } from '../../../bin/ctl/aws.ts';
import type { Condition } from '../../../bin/ctl/deployment/read-function.ts';
import { findCdkJson } from '../../../bin/ctl/doctor/cdk-json.ts';
import { announcementsFinding } from '../../../bin/ctl/doctor/checks/announcements.ts';
import { functionFinding } from '../../../bin/ctl/doctor/checks/function.ts';
import { scheduleFinding } from '../../../bin/ctl/doctor/checks/schedule.ts';

describe('a function', () => {
  const is = (word: string, code?: string): Condition => ({ word, code, reason: code && 'Because.' });

  test.each<[Condition, Condition, string, string]>([
    [is('Active'), is('Successful'), 'ok', 'Lambda can start it'],
    [is('Active'), is('InProgress'), 'warn', 'Lambda is changing it'],
    [is('Active'), is('Failed', 'InvalidRuntime'), 'fail', 'still as before (InvalidRuntime: Because.)'],
    [is('Pending', 'Creating'), is('InProgress'), 'warn', 'making it ready (Creating: Because.)'],
    [is('Inactive', 'Idle'), is('Successful'), 'warn', 'put it to sleep'],
    [is('Inactive', 'KMSKeyNotFound'), is('Successful'), 'fail', 'it is Inactive (KMSKeyNotFound: Because.)'],
    [is('Failed', 'SubnetOutOfIPAddresses'), is('Successful'), 'fail', 'it is Failed (SubnetOutOfIPAddresses'],
    [is('unknown'), is('Successful'), 'fail', 'it is unknown'],
  ])('that is %j, last update %j: %s', (state, lastUpdate, status, text) => {
    expect(functionFinding({ state, lastUpdate })).toMatchObject({ status, text: expect.stringContaining(text) });
  });
});

describe('a schedule', () => {
  const wanted = {
    account: '000000000000',
    functionName: 'poller',
    scheduleDeadLetterQueueUrl: 'https://sqs.eu-west-1.amazonaws.com/000000000000/undelivered',
    stackName: 'SecurityDataConnector-acme',
  };
  const arn = (rest: string) => `arn:aws:${rest}`;
  const FUNCTION = arn('lambda:eu-west-1:000000000000:function:poller');
  const QUEUE = arn('sqs:eu-west-1:000000000000:undelivered');

  function found(target: string | undefined, queue: string | undefined, enabled = true) {
    const Target = { Arn: target, RoleArn: 'r', DeadLetterConfig: queue === undefined ? undefined : { Arn: queue } };
    const whole = { Name: 'tick', Target } as never;
    return scheduleFinding({ name: 'tick', enabled, expression: 'rate(1 minute)', changed: 0, whole }, wanted);
  }

  test.each([
    ['starts the function and keeps starts that fail', FUNCTION, QUEUE, 'ok', 'on, rate(1 minute)'],
    ['starts another function', `${FUNCTION}2`, QUEUE, 'fail', 'not the function poller'],
    ['starts one of another account', FUNCTION.replace('0:f', '1:f'), QUEUE, 'fail', 'not the function poller'],
    ['starts a version that stays', `${FUNCTION}:7`, QUEUE, 'fail', 'not the function poller'],
    ['starts nothing', undefined, QUEUE, 'fail', 'it starts nothing'],
    ['keeps no starts', FUNCTION, undefined, 'fail', 'no dead-letter queue'],
    [
      'keeps starts elsewhere',
      FUNCTION,
      QUEUE.replace(/:undelivered/, ':other'),
      'fail',
      'not in the queue of the stack',
    ],
  ])('that %s', (_, target, queue, status, text) => {
    expect(found(target, queue)).toMatchObject({ status, text: expect.stringContaining(text) });
    const off = found(target, queue, false);
    expect(off.status).toBe(status === 'ok' ? 'warn' : 'fail');
    if (status === 'fail') expect(off.remedy).toContain('cdk deploy --revert-drift SecurityDataConnector-acme');
  });
});

describe('the notifications of a bucket', () => {
  const queueArn = 'arn:aws:sqs:eu-west-1:000000000000:siem';
  const wanted = { bucket: 'b', queueArn, stackName: 'SecurityDataConnector-acme', ending: '.json.gz' };
  const ALL = ['s3:ObjectCreated:*'];

  const rule = (Name: 'prefix' | 'Prefix' | 'Suffix', Value: string) => ({ Name: Name as 'prefix', Value });
  function entry(Events: string[], rules: ReturnType<typeof rule>[], QueueArn = queueArn): QueueConfiguration {
    return { QueueArn, Events: Events as QueueConfiguration['Events'], Filter: { Key: { FilterRules: rules } } };
  }
  const EVENTS = rule('Prefix', 'events/');
  const of = (...QueueConfigurations: QueueConfiguration[]): NotificationConfiguration => ({ QueueConfigurations });
  const PIECES = ['s3:ObjectCreated:Put', 's3:ObjectCreated:CompleteMultipartUpload'];

  test.each<[string, NotificationConfiguration, string, string]>([
    ['every new event', of(entry(ALL, [EVENTS])), 'ok', 'below events/'],
    ['the name of its filter in small letters', of(entry(ALL, [rule('prefix', 'events/')])), 'ok', 'below events/'],
    ['those in one piece and those in parts', of(entry(PIECES, [EVENTS])), 'ok', 'below events/'],
    ['the same in two entries', of(...PIECES.map(kind => entry([kind], [EVENTS]))), 'ok', 'below events/'],
    ['the ending that Firehose gives', of(entry(ALL, [EVENTS, rule('Suffix', '.gz')])), 'ok', 'below events/'],
    ['everything', of(entry(ALL, [])), 'warn', 'more than events/'],
    ['those in one piece alone', of(entry(PIECES.slice(0, 1), [EVENTS])), 'fail', 'not announce every new object'],
    ['removals', of(entry(['s3:ObjectRemoved:*'], [EVENTS])), 'fail', 'not announce every new object'],
    ['a part of them', of(entry(ALL, [rule('Prefix', 'events/2026/')])), 'fail', 'not announce every new object'],
    [
      'the ending of another format',
      of(entry(ALL, [EVENTS, rule('Suffix', '.parquet')])),
      'fail',
      'not announce every new',
    ],
    ['another ending', of(entry(ALL, [EVENTS, rule('Suffix', '.csv')])), 'fail', 'not announce every new object'],
    ['another queue', of(entry(ALL, [EVENTS], `${queueArn}2`)), 'fail', 'announces no object on the SIEM’s queue'],
    ['nobody', {}, 'fail', 'announces no object on the SIEM’s queue'],
    ['EventBridge alone', { EventBridgeConfiguration: {} }, 'fail', 'it tells EventBridge, which does not reach'],
    [
      'a topic and a function alone',
      {
        TopicConfigurations: [{ TopicArn: 'arn:aws:sns:::t', Events: ['s3:ObjectCreated:*'] }],
        LambdaFunctionConfigurations: [{ LambdaFunctionArn: queueArn, Events: ['s3:ObjectCreated:*'] }],
      },
      'fail',
      'announces no object on the SIEM’s queue',
    ],
  ])('that tell of %s', (_, told, status, text) => {
    const finding = announcementsFinding(told, wanted);
    expect(finding).toMatchObject({ status, text: expect.stringContaining(text) });
    if (status !== 'ok') expect(finding.remedy).toContain(`prefix events/, to ${queueArn}`);
  });
});

describe('the cdk.json that is meant', () => {
  let root = '';
  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'project-'));
    await mkdir(path.join(root, 'app', 'lib', 'deep'), { recursive: true });
    await writeFile(path.join(root, 'app', 'cdk.json'), '{}');
  });
  afterAll(() => rm(root, { recursive: true }));

  test.each([
    ['app', 'cdk.json'],
    ['app/lib', '../cdk.json'],
    ['app/lib/deep', '../../cdk.json'],
    ['.', undefined],
  ])('seen from %s is %s', async (folder, expected) => {
    expect(await findCdkJson(path.join(root, folder))).toBe(expected);
  });
});

test('only confirmed subscriptions hear of alarms: one that awaits its confirmation is pending, a deleted one is neither', async () => {
  const sns = new SNSClient({ region: 'eu-west-1' });
  const Subscriptions = [
    { SubscriptionArn: 'arn:aws:sns:eu-west-1:111122223333:t:1', Protocol: 'https' },
    { SubscriptionArn: 'PendingConfirmation', Protocol: 'email' },
    { SubscriptionArn: 'Deleted', Protocol: 'sms' },
  ];
  sns.send = async () => ({ Subscriptions, $metadata: {} });
  expect(await readSubscriptions({ sns: () => sns } as Aws, 'arn')).toEqual({
    confirmed: ['https'],
    pending: ['email'],
  });
});
