/** The operator's command line, as a process of its own, on what moto makes of the operator's services. */
import { gzipSync } from 'node:zlib';
import { SetAlarmStateCommand, type StateValue } from '@aws-sdk/client-cloudwatch';
import { DeleteRoleCommand, DetachRolePolicyCommand } from '@aws-sdk/client-iam';
import { PutBucketNotificationConfigurationCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { DeleteScheduleCommand, GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { DeleteTopicCommand, ListSubscriptionsByTopicCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, test } from '@jest/globals';
import type { Found } from '../bin/support/found.ts';
import { REFUSED_START, sqsQueueName } from '../bin/support/queues.ts';
import { cells } from '../bin/support/words.ts';
import { type Operated, operated } from './support/operated.ts';

const headline = ({ stdout }: { stdout: string }) => stdout.split('\n')[0];

async function scheduleOf({ moto, stack }: Operated) {
  const answer = await moto.scheduler.send(new GetScheduleCommand({ Name: stack.scheduleName }));
  const { $metadata: _, LastModificationDate: _changed, State: state, ...rest } = answer;
  return { state, rest };
}

async function setAlarm({ moto }: Operated, name: string, state: StateValue): Promise<void> {
  const command = new SetAlarmStateCommand({ AlarmName: `acme/${name}`, StateValue: state, StateReason: 'by a test' });
  await moto.cloudWatch.send(command);
}

async function send({ moto, stack }: Operated, output: string, body: string): Promise<void> {
  await moto.sqs.send(new SendMessageCommand({ QueueUrl: stack.outputs[output], MessageBody: body }));
}

async function runDoctor(each: Operated) {
  const { status, stdout } = await each.ctl('doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: Found[] };
  return { status, checks, sick: checks.filter(check => check.status !== 'ok') };
}

describe('pause and resume', () => {
  test('switch the schedule, and change nothing else of it', async () => {
    await using each = await operated();
    const before = await scheduleOf(each);
    expect(before).toMatchObject({ state: 'ENABLED', rest: { Target: { DeadLetterConfig: {}, RetryPolicy: {} } } });
    expect(await each.ctl('pause')).toMatchObject({ status: 0, stderr: '' });
    expect(await scheduleOf(each)).toEqual({ state: 'DISABLED', rest: before.rest });
    expect(headline(await each.ctl('status'))).toBe('acme: paused: the schedule is off');
    expect(headline(await each.ctl('pause'))).toContain('was already off');
    expect(await each.ctl('resume')).toMatchObject({ status: 0, stderr: '' });
    expect(await scheduleOf(each)).toEqual(before);
  });

  test('exit with 1 when the schedule is gone, and say what restores it', async () => {
    await using each = await operated();
    await each.moto.scheduler.send(new DeleteScheduleCommand({ Name: each.stack.scheduleName }));
    const { status, stderr } = await each.ctl('resume');
    expect([status, stderr]).toEqual([1, expect.stringContaining('"npx cdk deploy --revert-drift"')]);
  });
});

describe('status', () => {
  test('reads the metrics of a run, and what the alarms, the queues and the stack say', async () => {
    await using each = await operated();
    each.connector.platform.populate({ assets: 30, threats: 20, dnsBlocks: 10 });
    await each.run();
    const { status, stdout } = await each.ctl('status');
    expect([status, stdout.split('\n')[0]]).toEqual([0, 'acme: healthy: every stream is caught up']);
    expect(cells(stdout, 'threats')).toEqual(['threats', 'caught up', 'just now', '20', '20', '0', '0', '0']);
    await setAlarm(each, 'dead-letters', 'ALARM');
    await setAlarm(each, 'credentials-refused', 'ALARM');
    const alarmed = await each.ctl('status');
    expect([alarmed.status, alarmed.stdout.split('\n').slice(0, 3)]).toEqual([
      3,
      [
        'acme: unhealthy: alarm credentials-refused; alarm dead-letters',
        expect.stringMatching(/^ {2}critical: credentials-refused, for \d+ s: docs\/runbook\.md#credentials-refused$/),
        expect.stringMatching(/^ {2}warning: dead-letters, for \d+ s: docs\/runbook\.md#dead-letters$/),
      ],
    ]);
    await setAlarm(each, 'dead-letters', 'OK');
    await setAlarm(each, 'credentials-refused', 'OK');
    expect((await each.ctl('status')).status).toBe(0);
  });

  test('counts what waits for the SIEM, what it gave up on, and how old the oldest is', async () => {
    await using each = await operated();
    const { SiemQueueUrl = '', DeliveryStreamName = '', BucketName: Bucket } = each.stack.outputs;
    // While the bucket holds no event, a waiting message is taken for the test message of S3.
    await each.moto.s3.send(new PutObjectCommand({ Bucket, Key: 'events/2026/11/20/10/object.json.gz', Body: 'x' }));
    for (const output of ['SiemQueueUrl', 'SiemQueueUrl', 'SiemDeadLetterQueueUrl']) await send(each, output, 'object');
    await each.moto.sqs.send(new ReceiveMessageCommand({ QueueUrl: SiemQueueUrl, MaxNumberOfMessages: 1 }));
    const time = Date.now() - 60_000;
    await each.putMetrics(
      {
        namespace: 'AWS/SQS',
        name: 'ApproximateAgeOfOldestMessage',
        dimensions: { QueueName: sqsQueueName(SiemQueueUrl) },
        value: 600,
        time,
      },
      {
        namespace: 'AWS/Firehose',
        name: 'DeliveryToS3.DataFreshness',
        dimensions: { DeliveryStreamName },
        value: 45,
        time,
      },
    );
    const { stdout } = await each.ctl('status');
    expect(stdout).toContain('Firehose  the oldest undelivered event is 45 s old');
    expect(stdout).toContain('SIEM      1 objects waiting, the oldest for 10 min, 1 being read, dead letters: 1');
  });
});

describe('dead-letters', () => {
  const ERROR = 'delivery-errors/http-endpoint-failed/2026/11/20/12/part-1';
  const LINE = `{"event_id":"e-x","sequence":"${'1'.repeat(20)}","kind":"upsert","stream":"assets","id":"x","time":null,"stream_position":null,"connector":"acme","forwarded_at":"2026-11-20T12:00:00.000Z","row":{"id":"x"}}\n`;
  const RECORD = JSON.stringify({
    attemptsMade: 5,
    arrivalTimestamp: Date.parse('2026-11-20T12:00:00Z'),
    errorCode: 'HttpEndpoint.DestinationException',
    errorMessage: 'It answered 503.',
    rawData: Buffer.from(LINE).toString('base64'),
  });

  test('lists the queue of the SIEM, shows what it holds, and leaves it there', async () => {
    await using each = await operated();
    await send(each, 'SiemDeadLetterQueueUrl', '{"Records":["canary"]}');
    const { status, stdout } = await each.ctl('dead-letters', 'list');
    expect([status, stdout]).toEqual([3, expect.stringMatching(/^queue +siem-dead-letters +1/m)]);
    expect((await each.ctl('dead-letters', 'show', 'siem-dead-letters', '--show')).stdout).toContain('canary');
    const shown = await each.ctl('dead-letters', 'show', 'siem-dead-letters');
    expect([shown.status, shown.stdout]).toEqual([0, expect.not.stringContaining('canary')]);
    expect((await each.ctl('dead-letters', 'list')).stdout).toMatch(/^queue +siem-dead-letters +1/m);
  });

  test('says why starts could not be handed over, by the attributes of the messages', async () => {
    await using each = await operated();
    const QueueUrl = each.stack.outputs['ScheduleDeadLetterQueueUrl'];
    const lost = new SendMessageCommand({ QueueUrl, MessageBody: '{}', MessageAttributes: REFUSED_START });
    for (let start = 0; start < 2; start++) await each.moto.sqs.send(lost);
    const { stdout } = await each.ctl('dead-letters', 'show', 'schedule-dead-letters');
    expect(stdout).toMatch(/^AccessDeniedException +2 +20[-\dT:]+Z$/m);
    expect(stdout).toContain(REFUSED_START.ERROR_MESSAGE.StringValue);
  });

  test('a queue whose service cannot move messages keeps them, and the exit status is 1', async () => {
    await using each = await operated();
    await send(each, 'SiemDeadLetterQueueUrl', 'object');
    const { status, stderr } = await each.ctl('dead-letters', 'redrive', 'siem-dead-letters', '--yes');
    expect([status, stderr]).toEqual([1, expect.stringContaining('Messages that were not moved are unchanged.')]);
    const command = new GetQueueAttributesCommand({
      QueueUrl: each.stack.outputs['SiemDeadLetterQueueUrl'],
      AttributeNames: ['ApproximateNumberOfMessages'],
    });
    expect((await each.moto.sqs.send(command)).Attributes).toEqual({ ApproximateNumberOfMessages: '1' });
  });

  test('redrives a delivery that failed: sent once, and the object is gone', async () => {
    await using each = await operated();
    const { clients, aws } = each.connector;
    const object = { Bucket: aws.names.bucket, Key: ERROR, Body: gzipSync(`${RECORD}\n`) };
    await (await clients.s3()).send(new PutObjectCommand(object));
    const { status } = await each.ctl('dead-letters', 'redrive', ERROR, '--yes');
    expect([status, await each.connector.lines()]).toEqual([0, [LINE.trimEnd()]]);
    expect(JSON.parse((await each.ctl('dead-letters', 'list', '--json')).stdout).deliveries).toEqual([]);
  });
});

describe('doctor', () => {
  test('finds the deployment healthy', async () => {
    await using each = await operated();
    each.connector.platform.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
    const { status, sick, checks } = await runDoctor(each);
    expect([status, sick]).toEqual([0, []]);
    const texts = Object.fromEntries(checks.map(({ name, text }) => [name, text]));
    expect(texts['aws-account']).toMatch(/^account 000000000000, region us-east-1, as arn:aws:sts::/);
    expect(texts['reader-policy']).toContain('the reader role has it');
    expect(texts['alarm-subscription']).toBe('1 confirmed (email)');
    expect(texts['notifications']).toContain('below events/');
    expect(texts['schedule']).toContain('it starts the function');
    expect(texts['schedule-role']).toContain('may assume its role');
  });

  test('reports a policy that its role has lost, an alarm and a schedule that is off', async () => {
    await using each = await operated();
    const { SiemReaderPolicyArn: PolicyArn, SiemReaderRoleArn = '' } = each.stack.outputs;
    const RoleName = SiemReaderRoleArn.slice(SiemReaderRoleArn.lastIndexOf('/') + 1);
    await each.moto.iam.send(new DetachRolePolicyCommand({ RoleName, PolicyArn }));
    await setAlarm(each, 'stream-silent', 'ALARM');
    await each.ctl('pause');
    const { status, checks } = await runDoctor(each);
    const found = (name: string) => checks.find(check => check.name === name);
    expect(status).toBe(3);
    expect(found('reader-policy')).toMatchObject({ status: 'fail', text: 'the reader role does not have it' });
    expect(found('alarms')).toMatchObject({ status: 'warn', text: 'in alarm: stream-silent' });
    expect(found('schedule')).toMatchObject({ status: 'warn' });
  });
});

describe('the doctor reports', () => {
  test('alarms without a subscriber, a bucket without notifications, and a missing role', async () => {
    await using each = await operated();
    const { moto, stack } = each;
    const { AlarmTopicArn: TopicArn, BucketName: Bucket, ScheduleName: Name } = stack.outputs;
    const { Subscriptions = [] } = await moto.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    for (const { SubscriptionArn } of Subscriptions) await moto.sns.send(new UnsubscribeCommand({ SubscriptionArn }));
    const none = { Bucket, NotificationConfiguration: {} };
    await moto.s3.send(new PutBucketNotificationConfigurationCommand(none));
    const { Target } = await moto.scheduler.send(new GetScheduleCommand({ Name }));
    await moto.iam.send(new DeleteRoleCommand({ RoleName: Target!.RoleArn!.split('/').at(-1) }));
    const { status, checks } = await runDoctor(each);
    const found = (name: string) => checks.find(check => check.name === name);
    expect(status).toBe(3);
    expect(found('alarm-subscription')).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('nobody is notified'),
    });
    expect(found('notifications')).toMatchObject({ status: 'fail', text: expect.stringContaining('does not notify') });
    expect(found('schedule-role')).toMatchObject({ status: 'fail', text: expect.stringContaining('does not exist') });
    await moto.sns.send(new DeleteTopicCommand({ TopicArn }));
    const again = (await runDoctor(each)).checks.find(check => check.name === 'alarm-subscription');
    expect(again).toMatchObject({ status: 'fail', text: `${TopicArn} does not exist: nobody is notified of alarms` });
  });
});

describe('the stack', () => {
  test('is found by its name, with or without the prefix, and distinguished from none', async () => {
    await using each = await operated();
    for (const name of ['acme', each.stack.stackName]) {
      expect(headline(await each.ctl('status', '--stack', name))).toMatch(/^acme: /);
    }
    const { status, stderr } = await each.ctl('status', '--stack', 'other');
    expect([status, stderr]).toEqual([2, expect.stringContaining('There is no stack other in region us-east-1')]);
  });
});
