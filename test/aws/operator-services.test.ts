/** Services that only `connectorctl` and the demo use. The tests of the commands rely on this behaviour and do not check it. */
import {
  CloudFormationClient,
  type CloudFormationServiceException,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  DisableAlarmActionsCommand,
  EnableAlarmActionsCommand,
  GetMetricDataCommand,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import {
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  IAMClient,
  ListAttachedRolePoliciesCommand,
} from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetScheduleCommand, SchedulerClient, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { describe, expect, test } from '@jest/globals';
import { PLACE, served } from './served.ts';
import type { AlarmDefinition } from './services/alarms.ts';
import { createCloudFormation } from './services/cloudformation.ts';
import { createCloudWatch } from './services/cloudwatch.ts';
import { createIam } from './services/iam.ts';
import { createLambda } from './services/lambda.ts';
import { createScheduler } from './services/scheduler.ts';
import { createSns } from './services/sns.ts';
import { createSqs } from './services/sqs.ts';
import { createSts } from './services/sts.ts';

const arn = (service: string, resource: string): string => `arn:aws:${service}:us-east-1:000000000000:${resource}`;
const HOUR = 3_600_000;

describe('CloudWatch', () => {
  const metric = (name: string): AlarmDefinition => ({ type: 'MetricAlarm', name, members: {} });
  const AlarmRule = `(ALARM("${arn('cloudwatch', 'alarm:acme/silent')}"))`;
  const PAGE: AlarmDefinition = { type: 'CompositeAlarm', name: 'acme/page', members: { AlarmRule } };

  async function scene(alarms: readonly AlarmDefinition[] = [PAGE, metric('acme/silent')]) {
    const { service, controls } = createCloudWatch({ ...PLACE, alarms, now: () => HOUR });
    const each = await served(service);
    return { ...each, controls, client: new CloudWatchClient(each.config) };
  }

  test('lists composite alarms only where they are requested, and a composite alarm follows its members', async () => {
    await using each = await scene();
    each.controls.alarms.set('acme/silent', 'ALARM', 'No data.');
    const { CompositeAlarms, MetricAlarms } = await each.client.send(new DescribeAlarmsCommand({}));
    expect([CompositeAlarms, MetricAlarms]).toMatchObject([[], [{ StateValue: 'ALARM', StateReason: 'No data.' }]]);
    const all = await each.client.send(new DescribeAlarmsCommand({ AlarmTypes: ['CompositeAlarm'] }));
    expect(all.CompositeAlarms).toMatchObject([{ AlarmName: 'acme/page', StateValue: 'ALARM' }]);
  });

  test('lists alarms in pages of 50', async () => {
    await using each = await scene(Array.from({ length: 120 }, (_, at) => metric(`alarm-${at}`)));
    const sizes: number[] = [];
    for await (const page of paginateDescribeAlarms({ client: each.client }, {})) sizes.push(page.MetricAlarms!.length);
    expect(sizes).toEqual([50, 50, 20]);
  });

  test('records the one alarm, or the common prefix of several, that a policy must name', async () => {
    await using each = await scene();
    const AlarmNames = ['acme/page', 'acme/silent'];
    await each.client.send(new DisableAlarmActionsCommand({ AlarmNames }));
    await each.client.send(new EnableAlarmActionsCommand({ AlarmNames: ['acme/page'] }));
    expect(each.permissions).toEqual([
      ['cloudwatch:DisableAlarmActions', arn('cloudwatch', 'alarm:acme/*')],
      ['cloudwatch:EnableAlarmActions', arn('cloudwatch', 'alarm:acme/page')],
    ]);
  });

  test('finds a metric by all of its dimensions, from the start and before the end of the span', async () => {
    await using each = await scene();
    const of = { namespace: 'AWS/Lambda', name: 'Errors', dimensions: { FunctionName: 'poller', Resource: 'poller' } };
    for (const time of [0, 60_000, 120_000]) each.controls.metrics.put({ ...of, time, value: 1 });
    const asked = async (...names: string[]) => {
      const Dimensions = names.map(Name => ({ Name, Value: 'poller' }));
      const Metric = { Namespace: of.namespace, MetricName: of.name, Dimensions };
      const MetricDataQueries = [{ Id: 'q', MetricStat: { Metric, Period: 60, Stat: 'Sum' } }];
      const span = { StartTime: new Date(0), EndTime: new Date(120_000) };
      const answer = await each.client.send(new GetMetricDataCommand({ ...span, MetricDataQueries }));
      return answer.MetricDataResults![0]!.Timestamps!.map(time => time.getTime());
    };
    expect(await asked('Resource', 'FunctionName')).toEqual([60_000, 0]);
    expect(await asked('Resource')).toEqual([]);
    expect(each.permissions[0]).toEqual(['cloudwatch:GetMetricData', '*']);
  });
});

test('CloudFormation refuses a missing or deleted stack by its name', async () => {
  const stacks = [{ name: 'gone', outputs: [], status: 'DELETE_COMPLETE' }];
  await using each = await served(createCloudFormation({ ...PLACE, stacks, created: 0 }));
  const client = new CloudFormationClient(each.config);
  for (const StackName of ['nothing', 'gone']) {
    const error = await client.send(new DescribeStacksCommand({ StackName })).catch(error => error);
    const { name, message } = error as CloudFormationServiceException;
    expect([name, message]).toEqual(['ValidationError', `Stack with id ${StackName} does not exist`]);
  }
  expect((await client.send(new DescribeStacksCommand({}))).Stacks).toEqual([]);
  expect(each.permissions[0]).toEqual(['cloudformation:DescribeStacks', arn('cloudformation', 'stack/nothing/*')]);
});

test('IAM percent-encodes every policy document, and refuses unknown roles and policies by name', async () => {
  const PolicyArn = 'arn:aws:iam::000000000000:policy/reader';
  const document = { Statement: [{ Action: "s3:Get*(')!", Resource: 'ü&<>%+ ' }] };
  const roles = [{ name: 'siem', policyArns: [PolicyArn], trust: document }];
  const policies = [{ arn: PolicyArn, name: 'reader', document }];
  await using each = await served(createIam({ ...PLACE, policies, roles }));
  const client = new IAMClient(each.config);
  const { Policy } = await client.send(new GetPolicyCommand({ PolicyArn }));
  const VersionId = Policy!.DefaultVersionId!;
  const { PolicyVersion } = await client.send(new GetPolicyVersionCommand({ PolicyArn, VersionId }));
  const { Role } = await client.send(new GetRoleCommand({ RoleName: 'siem' }));
  for (const text of [PolicyVersion!.Document!, Role!.AssumeRolePolicyDocument!]) {
    expect(text).toMatch(/^[\w.~%-]+$/);
    expect(JSON.parse(decodeURIComponent(text))).toEqual(document);
  }
  const { AttachedPolicies } = await client.send(new ListAttachedRolePoliciesCommand({ RoleName: 'siem' }));
  expect(AttachedPolicies).toEqual([{ PolicyName: 'reader', PolicyArn }]);
  await expect(client.send(new GetRoleCommand({ RoleName: 'x' }))).rejects.toMatchObject({
    name: 'NoSuchEntityException',
    message: 'The role with name x cannot be found.',
  });
  expect(each.permissions.slice(0, 4)).toEqual([
    ['iam:GetPolicy', PolicyArn],
    ['iam:GetPolicyVersion', PolicyArn],
    ['iam:GetRole', 'arn:aws:iam::000000000000:role/siem'],
    ['iam:ListAttachedRolePolicies', 'arn:aws:iam::000000000000:role/siem'],
  ]);
});

test('Lambda answers 200 with the error of a function that throws, and refuses an unknown function', async () => {
  const configuration = () => ({ Timeout: 900 });
  const invoke = async (payload: unknown): Promise<unknown> => {
    if ((payload as { fails?: true }).fails) throw Object.assign(new Error('It broke.'), { name: 'LeaseBusyError' });
    return { got: payload };
  };
  await using each = await served(createLambda({ ...PLACE, functions: [{ name: 'poller', configuration, invoke }] }));
  const client = new LambdaClient(each.config);
  const call = async (FunctionName: string, payload: object) => {
    const answer = await client.send(
      new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(payload)) }),
    );
    return [answer.StatusCode, answer.FunctionError, JSON.parse(answer.Payload!.transformToString())];
  };
  expect(await call('poller', { a: 1 })).toEqual([200, undefined, { got: { a: 1 } }]);
  const error = { errorType: 'LeaseBusyError', errorMessage: 'It broke.', trace: expect.any(Array) };
  expect(await call('poller', { fails: true })).toEqual([200, 'Unhandled', error]);
  await expect(call('nobody', {})).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  const settings = await client.send(new GetFunctionConfigurationCommand({ FunctionName: 'poller' }));
  expect(settings).toMatchObject({ Timeout: 900 });
  expect(each.permissions).toContainEqual(['lambda:InvokeFunction', arn('lambda', 'function:poller')]);
  expect(each.permissions).toContainEqual(['lambda:GetFunctionConfiguration', arn('lambda', 'function:poller')]);
});

test('Scheduler replaces members that an update does not send by their defaults, an enabled state among them', async () => {
  const Name = 'tick';
  const required = { ScheduleExpression: 'rate(1 minute)', FlexibleTimeWindow: { Mode: 'OFF' as const } };
  const Target = { Arn: arn('lambda', 'function:poller'), RoleArn: 'arn:aws:iam::000000000000:role/tick', Input: '{}' };
  const { service, controls } = createScheduler({ ...PLACE, now: () => 0 });
  const RetryPolicy = { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 2 };
  controls.put(Name, { ...required, Description: 'd', State: 'DISABLED', Target: { ...Target, RetryPolicy } });
  await using each = await served(service);
  const client = new SchedulerClient(each.config);
  expect(await client.send(new GetScheduleCommand({ Name }))).toMatchObject({ State: 'DISABLED', Description: 'd' });
  await client.send(new UpdateScheduleCommand({ Name, ...required, Target }));
  const found = await client.send(new GetScheduleCommand({ Name }));
  const defaults = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };
  expect(found).toMatchObject({ ...required, State: 'ENABLED', Target: { ...Target, RetryPolicy: defaults } });
  expect(found.Description).toBeUndefined();
  const missing = client.send(new GetScheduleCommand({ Name: 'other' }));
  await expect(missing).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  const schedule = arn('scheduler', 'schedule/default/tick');
  expect(each.permissions.slice(0, 2)).toEqual([
    ['scheduler:GetSchedule', schedule],
    ['scheduler:UpdateSchedule', schedule],
  ]);
});

test('SNS lists a pending subscription with its placeholder, and refuses unknown topics', async () => {
  const TopicArn = arn('sns', 'alarms');
  const of = (endpoint: string, confirmed: boolean) => ({ protocol: 'email', endpoint, confirmed });
  const subscriptions = [of('a@acme.example', true), of('b&<@acme.example', false)];
  await using each = await served(createSns({ ...PLACE, topics: [{ arn: TopicArn, subscriptions }] }));
  const client = new SNSClient(each.config);
  const { Subscriptions } = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
  expect(Subscriptions).toMatchObject([
    { Endpoint: 'a@acme.example', SubscriptionArn: expect.stringMatching(/^arn:aws:sns:.*:alarms:[0-9a-f-]+$/) },
    { Endpoint: 'b&<@acme.example', SubscriptionArn: 'PendingConfirmation' },
  ]);
  const other = client.send(new ListSubscriptionsByTopicCommand({ TopicArn: `${TopicArn}2` }));
  await expect(other).rejects.toMatchObject({ name: 'NotFoundException' });
  expect(each.permissions[0]).toEqual(['sns:ListSubscriptionsByTopic', TopicArn]);
});

describe('SQS', () => {
  async function scene() {
    let time = 1_000_000;
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn('sqs', 'dead'), maxReceiveCount: 2 });
    const queues = [{ name: 'main', attributes: { VisibilityTimeout: '600', RedrivePolicy } }, { name: 'dead' }];
    const { service, controls } = createSqs({ ...PLACE, now: () => time, queues });
    const each = await served(service);
    const advance = (seconds: number): void => {
      time += seconds * 1000;
    };
    const QueueUrl = `${each.url}/${PLACE.account}/main`;
    return { ...each, controls, advance, QueueUrl, client: new SQSClient(each.config) };
  }

  test('hides a received message until its visibility timeout ends or it is deleted', async () => {
    await using each = await scene();
    const { client, QueueUrl } = each;
    const receive = async () => (await client.send(new ReceiveMessageCommand({ QueueUrl }))).Messages;
    each.controls.send('main', { body: 'ü <b>' });
    expect(await receive()).toMatchObject([{ Body: 'ü <b>' }]);
    each.advance(599);
    expect(await receive()).toBeUndefined();
    each.advance(1);
    const [{ ReceiptHandle } = {}] = (await receive())!;
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    each.advance(600);
    expect(await receive()).toBeUndefined();
  });
});

test('STS gives account and user', async () => {
  await using each = await served(createSts(PLACE));
  const identity = await new STSClient(each.config).send(new GetCallerIdentityCommand());
  expect(identity).toMatchObject({ Account: '000000000000', Arn: 'arn:aws:iam::000000000000:user/operator' });
  expect(each.permissions).toEqual([['sts:GetCallerIdentity', '*']]);
});
