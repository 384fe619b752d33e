/** The same things, in moto and at the embedded endpoints of an operator's services. */

import { CreateStackCommand, DeleteStackCommand } from '@aws-sdk/client-cloudformation';
import {
  DeleteAlarmsCommand,
  PutMetricAlarmCommand,
  PutMetricDataCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import { AttachRolePolicyCommand, CreatePolicyCommand, CreateRoleCommand } from '@aws-sdk/client-iam';
import { CreateScheduleCommand, type CreateScheduleCommandInput } from '@aws-sdk/client-scheduler';
import { CreateTopicCommand, DeleteTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { createCloudFormation } from '../../../local/aws/cloudformation.ts';
import { createCloudWatch } from '../../../local/aws/cloudwatch.ts';
import { createIam } from '../../../local/aws/iam.ts';
import { createScheduler } from '../../../local/aws/scheduler.ts';
import { createSns } from '../../../local/aws/sns.ts';
import { createSqs } from '../../../local/aws/sqs.ts';
import { createSts } from '../../../local/aws/sts.ts';
import type { Reply, Service } from '../../../local/aws/wire.ts';
import { PLACE, type Served, served } from '../../local/aws/served.ts';
import { forward } from './forward.ts';
import { askMoto } from './moto-account.ts';
import { type MotoClients, motoClients } from './moto-operations.ts';
import { type Asked, DEAD, HOUR, type OperationsService, policyArn, SCHEDULE, topicArn } from './operations-cases.ts';

export interface OnBoth extends AsyncDisposable {
  ask(asked: Asked): Promise<{ readonly embedded: Reply; readonly moto: Reply }>;
}

const REDRIVE = JSON.stringify({ deadLetterTargetArn: DEAD, maxReceiveCount: 2 });
const DOCUMENT = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: "arn:aws:s3:::b/(é)'*" }],
};
const TOPICS = ['apart', 'unheard', 'asked'];
/** More than a page of AWS's. */
const SUBSCRIBERS = Array.from({ length: 150 }, (_, at) => `on-call-${at}@acme.example`);
const subscriber = (endpoint: string) => ({ protocol: 'email', endpoint, confirmed: true });
const ALARMS = ['apart/a', 'apart/b'];
const RULE = {
  Namespace: 'N',
  MetricName: 'rows',
  Statistic: 'Sum' as const,
  Period: 60,
  EvaluationPeriods: 2,
  Threshold: 1,
  ComparisonOperator: 'GreaterThanThreshold' as const,
  AlarmDescription: 'Why. Runbook: x',
};
const POINTS = [
  [0, 1],
  [60, 2],
  [600, 4],
] as const;

export async function operationsOnBoth(url: string): Promise<OnBoth> {
  const clients = motoClients(url);
  await makeInMoto(clients);
  const services = embedded();
  const each = Object.fromEntries(
    await Promise.all(Object.entries(services).map(async ([name, service]) => [name, await served(service)])),
  ) as Record<OperationsService, Served>;
  return {
    async ask({ service, request }) {
      const [ours, theirs] = await Promise.all([forward(each[service].url, request), askMoto(url, request)]);
      return { embedded: ours, moto: theirs };
    },
    async [Symbol.asyncDispose]() {
      await removeFromMoto(clients);
      for (const client of Object.values(clients)) client.destroy();
      await Promise.all(Object.values(each).map(service => service[Symbol.asyncDispose]()));
    },
  };
}

function embedded(): Record<OperationsService, Service> {
  const now = Date.now;
  const scheduler = createScheduler({ ...PLACE, now });
  scheduler.controls.put('tick', SCHEDULE);
  const alarms = ALARMS.map(name => ({ type: 'MetricAlarm' as const, name, members: RULE }));
  const cloudwatch = createCloudWatch({ ...PLACE, now, alarms });
  cloudwatch.controls.alarms.set('apart/b', 'ALARM');
  const metric = { namespace: 'N', name: 'rows', dimensions: { stream: 'assets' } };
  cloudwatch.controls.metrics.put(
    ...POINTS.map(([after, value]) => ({ ...metric, value, time: (HOUR + after) * 1000 })),
  );
  const queues = [{ name: 'dead' }, { name: 'main', attributes: { VisibilityTimeout: '600', RedrivePolicy: REDRIVE } }];
  const policies = ['reader', 'second'].map(name => ({ arn: policyArn(name), name, document: DOCUMENT }));
  const topics = [
    { arn: topicArn('apart'), subscriptions: SUBSCRIBERS.map(subscriber) },
    { arn: topicArn('unheard'), subscriptions: [] },
    { arn: topicArn('asked'), subscriptions: [{ ...subscriber('on-call@acme.example'), confirmed: false }] },
  ];
  const stack = { name: 'apart', outputs: [{ key: 'Name', value: 'a <&> b' }], resources: [] };
  return {
    scheduler: scheduler.service,
    cloudwatch: cloudwatch.service,
    sns: createSns({ ...PLACE, topics }),
    sqs: createSqs({ ...PLACE, now, queues }).service,
    iam: createIam({
      ...PLACE,
      policies,
      roles: [{ name: 'siem', policyArns: policies.map(({ arn }) => arn), trust: DOCUMENT }],
      created: now(),
    }),
    sts: createSts(PLACE),
    cloudformation: createCloudFormation({ ...PLACE, stacks: [stack], created: now() }),
  } as Record<OperationsService, Service>;
}

async function makeInMoto({ scheduler, cloudWatch, sns, sqs, iam, cloudFormation }: MotoClients): Promise<void> {
  await scheduler.send(new CreateScheduleCommand({ ...SCHEDULE, Name: 'tick' } as CreateScheduleCommandInput));
  for (const AlarmName of ALARMS) await cloudWatch.send(new PutMetricAlarmCommand({ ...RULE, AlarmName }));
  const state = { AlarmName: 'apart/b', StateValue: 'ALARM', StateReason: 'Set to ALARM.' } as const;
  await cloudWatch.send(new SetAlarmStateCommand(state));
  const MetricData = POINTS.map(([after, Value]) => ({
    MetricName: 'rows',
    Dimensions: [{ Name: 'stream', Value: 'assets' }],
    Value,
    Timestamp: new Date((HOUR + after) * 1000),
  }));
  await cloudWatch.send(new PutMetricDataCommand({ Namespace: 'N', MetricData }));
  for (const Name of TOPICS) await sns.send(new CreateTopicCommand({ Name }));
  const subscribe = (name: string, Endpoint: string) =>
    sns.send(new SubscribeCommand({ TopicArn: topicArn(name), Protocol: 'email', Endpoint }));
  for (const each of SUBSCRIBERS) await subscribe('apart', each);
  await subscribe('asked', 'on-call@acme.example');
  await sqs.send(new CreateQueueCommand({ QueueName: 'dead' }));
  const Attributes = { VisibilityTimeout: '600', RedrivePolicy: REDRIVE };
  await sqs.send(new CreateQueueCommand({ QueueName: 'main', Attributes }));
  await iam.send(new CreateRoleCommand({ RoleName: 'siem', AssumeRolePolicyDocument: JSON.stringify(DOCUMENT) }));
  for (const PolicyName of ['reader', 'second']) {
    await iam.send(new CreatePolicyCommand({ PolicyName, PolicyDocument: JSON.stringify(DOCUMENT) }));
    await iam.send(new AttachRolePolicyCommand({ RoleName: 'siem', PolicyArn: policyArn(PolicyName) }));
  }
  const TemplateBody = JSON.stringify({
    Resources: { Topic: { Type: 'AWS::SNS::Topic' } },
    Outputs: { Name: { Value: 'a <&> b' } },
  });
  await cloudFormation.send(new CreateStackCommand({ StackName: 'apart', TemplateBody }));
}

/** So that another test of this account lists nothing of these. */
async function removeFromMoto({ cloudWatch, sns, cloudFormation }: MotoClients): Promise<void> {
  await cloudWatch.send(new DeleteAlarmsCommand({ AlarmNames: ALARMS }));
  await cloudFormation.send(new DeleteStackCommand({ StackName: 'apart' }));
  for (const name of TOPICS) await sns.send(new DeleteTopicCommand({ TopicArn: topicArn(name) }));
}
