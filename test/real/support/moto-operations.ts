/** What an operator works on, made in moto as the template has it. */
import { CloudFormationClient, CreateStackCommand, DeleteStackCommand } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  DeleteAlarmsCommand,
  PutMetricAlarmCommand,
  type PutMetricAlarmCommandInput,
} from '@aws-sdk/client-cloudwatch';
import {
  AttachRolePolicyCommand,
  CreatePolicyCommand,
  CreateRoleCommand,
  DeletePolicyCommand,
  DeleteRoleCommand,
  DetachRolePolicyCommand,
  IAMClient,
} from '@aws-sdk/client-iam';
import { S3Client } from '@aws-sdk/client-s3';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { SNSClient } from '@aws-sdk/client-sns';
import { CreateQueueCommand, DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  alarmsOf,
  notificationsOf,
  policiesOf,
  queuesOf,
  rolesOf,
  scheduleOf,
  stackOf,
  topicsOf,
} from '../../../local/deployment/parts.ts';
import type { References, Template } from '../../../local/deployment/template.ts';
import { inAccount } from './moto-account.ts';
import { createTopics, notify } from './moto-listeners.ts';

export type MotoClients = ReturnType<typeof motoClients>;

/** What undoes a step. */
type Undo = () => Promise<unknown>;

export function motoClients(endpoint: string) {
  const config = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  return {
    cloudFormation: inAccount(new CloudFormationClient(config)),
    cloudWatch: inAccount(new CloudWatchClient(config)),
    iam: inAccount(new IAMClient(config)),
    /** Buckets are in the account that the function's own calls fall into. */
    s3: new S3Client({ ...config, forcePathStyle: true }),
    scheduler: inAccount(new SchedulerClient(config)),
    sns: inAccount(new SNSClient(config)),
    sqs: inAccount(new SQSClient(config)),
  };
}

/** @returns what deletes all of it */
export async function deployOnMoto(
  clients: MotoClients,
  template: Template,
  references: References,
  stackName: string,
): Promise<() => Promise<void>> {
  const undone = [
    ...(await createQueues(clients, template, references)),
    ...(await createAlarms(clients, template, references)),
    ...(await createPolicies(clients, template, references)),
    ...(await createTopics(clients.sns, topicsOf(template, references))),
    await createSchedule(clients, template, references),
    await createStack(clients, template, references, stackName),
  ];
  for (const each of notificationsOf(template, references)) await notify(clients.s3, ...each);
  return async () => {
    for (const undo of undone.toReversed()) await undo().catch(throwUnlessGone);
  };
}

/** A test may have deleted it. */
function throwUnlessGone(error: Error): void {
  if (!/NotFound|NoSuchEntity/.test(error.name)) throw error;
}

/** A dead-letter queue must be there before the queue that gives up into it. */
async function createQueues({ sqs }: MotoClients, template: Template, references: References): Promise<Undo[]> {
  const queues = queuesOf(template, references).toSorted(
    (one, other) => Number('RedrivePolicy' in one.attributes!) - Number('RedrivePolicy' in other.attributes!),
  );
  const undone: Undo[] = [];
  for (const { name: QueueName, attributes: Attributes } of queues) {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    undone.push(() => sqs.send(new DeleteQueueCommand({ QueueUrl })));
  }
  return undone;
}

/** moto has no composite alarms. */
async function createAlarms({ cloudWatch }: MotoClients, template: Template, references: References): Promise<Undo[]> {
  const alarms = alarmsOf(template, references).filter(({ type }) => type === 'MetricAlarm');
  for (const { name, members } of alarms) {
    await cloudWatch.send(new PutMetricAlarmCommand({ ...members, AlarmName: name } as PutMetricAlarmCommandInput));
  }
  return [() => cloudWatch.send(new DeleteAlarmsCommand({ AlarmNames: alarms.map(({ name }) => name) }))];
}

async function createPolicies({ iam }: MotoClients, template: Template, references: References): Promise<Undo[]> {
  const undone: Undo[] = [];
  for (const { arn, name, document } of policiesOf(template, references)) {
    await iam.send(new CreatePolicyCommand({ PolicyName: name, PolicyDocument: JSON.stringify(document) }));
    undone.push(() => iam.send(new DeletePolicyCommand({ PolicyArn: arn })));
  }
  for (const { name: RoleName, policyArns, trust } of rolesOf(template, references)) {
    const made = policyArns.filter(arn => !arn.includes(':aws:policy/'));
    await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: JSON.stringify(trust) }));
    undone.push(() => iam.send(new DeleteRoleCommand({ RoleName })));
    for (const PolicyArn of made) {
      await iam.send(new AttachRolePolicyCommand({ RoleName, PolicyArn }));
      undone.push(() => iam.send(new DetachRolePolicyCommand({ RoleName, PolicyArn })));
    }
  }
  return undone;
}

async function createSchedule({ scheduler }: MotoClients, template: Template, references: References): Promise<Undo> {
  const { name: Name, members } = scheduleOf(template, references);
  await scheduler.send(new CreateScheduleCommand({ ...(members as object), Name } as CreateScheduleCommandInput));
  return () => scheduler.send(new DeleteScheduleCommand({ Name }));
}

/** moto lacks most resources of the template, so its stack has the outputs alone, and one topic, for there must be something. */
async function createStack(
  { cloudFormation }: MotoClients,
  template: Template,
  references: References,
  StackName: string,
): Promise<Undo> {
  const outputs = stackOf(template, StackName, references).outputs.map(({ key, value, exportName }) => [
    key,
    { Value: value, ...(exportName && { Export: { Name: exportName } }) },
  ]);
  const TemplateBody = JSON.stringify({
    Resources: { Topic: { Type: 'AWS::SNS::Topic' } },
    Outputs: Object.fromEntries(outputs),
  });
  await cloudFormation.send(new CreateStackCommand({ StackName, TemplateBody }));
  return () => cloudFormation.send(new DeleteStackCommand({ StackName }));
}
