import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  type MetricAlarm,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeDeliveryStreamCommand, FirehoseClient } from '@aws-sdk/client-firehose';
import { GetPolicyVersionCommand, IAMClient, ListAttachedRolePoliciesCommand } from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetBucketNotificationConfigurationCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startAws } from '../../../local/aws/endpoints.ts';
import { startDeployment } from '../../../local/deployment/deployment.ts';
import { resourcesOf } from '../../../local/deployment/template.ts';
import { templateWith } from '../../lib/shared-template.ts';
import { VARIANTS } from '../../lib/variants.ts';
import { ADDRESSES, client, type Deployed, deployed } from './deployed.ts';

/** Synthesized before any test's time runs. */
const TEMPLATE = await templateWith({ dnsBlocksPath: '/v1/dns-blocks' });
const EVERY_OPTION = await templateWith(VARIANTS.everyOption);

let each: Deployed;
beforeAll(async () => {
  each = await deployed(TEMPLATE);
});
afterAll(async () => {
  await each[Symbol.asyncDispose]();
});

describe('a deployed stack', () => {
  test('is described with every output of the template, and no reference is left', async () => {
    const { Stacks } = await client(each, 'CLOUDFORMATION', CloudFormationClient).send(new DescribeStacksCommand({}));
    expect(Stacks).toHaveLength(1);
    const outputs = Object.fromEntries(
      Stacks![0]!.Outputs!.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
    );
    expect(Object.keys(outputs)).toEqual(Object.keys(TEMPLATE.Outputs));
    expect(outputs).toEqual(each.outputs);
    for (const value of Object.values(outputs)) expect(value).toMatch(/^[^${}]+$/);
    expect(Stacks![0]).toMatchObject({ StackName: each.stackName, StackStatus: 'CREATE_COMPLETE' });
  });

  test('has what its outputs name: table, stream, bucket, secret, schedule, queues and policy', async () => {
    const { outputs, functionEnvironment } = each;
    const name = (key: string) => outputs[key]!;
    const sqs = client(each, 'SQS', SQSClient);
    const queue = async (key: string) => {
      const command = new GetQueueAttributesCommand({
        QueueUrl: name(key),
        AttributeNames: ['QueueArn', 'VisibilityTimeout', 'Policy', 'RedrivePolicy'],
      });
      return (await sqs.send(command)).Attributes!;
    };
    await client(each, 'DYNAMODB', DynamoDBClient).send(
      new DescribeTableCommand({ TableName: name('StateTableName') }),
    );
    await client(each, 'FIREHOSE', FirehoseClient).send(
      new DescribeDeliveryStreamCommand({ DeliveryStreamName: name('DeliveryStreamName') }),
    );
    await client(each, 'S3', S3Client).send(new ListObjectsV2Command({ Bucket: name('BucketName') }));
    const SecretId = functionEnvironment['CREDENTIALS_SECRET_ID'];
    await client(each, 'SECRETS_MANAGER', SecretsManagerClient).send(new GetSecretValueCommand({ SecretId }));
    const schedule = await client(each, 'SCHEDULER', SchedulerClient).send(
      new GetScheduleCommand({ Name: name('ScheduleName') }),
    );
    const deadLetters = await queue('ScheduleDeadLetterQueueUrl');
    expect(schedule).toMatchObject({
      State: 'ENABLED',
      Target: { DeadLetterConfig: { Arn: deadLetters['QueueArn'] } },
    });
    const siem = await queue('SiemQueueUrl');
    expect([siem['QueueArn'], siem['VisibilityTimeout']]).toEqual([name('SiemQueueArn'), '600']);
    expect(JSON.parse(siem['Policy']!).Statement[1]).toMatchObject({ Effect: 'Allow', Resource: name('SiemQueueArn') });
    const unreadable = await queue('SiemDeadLetterQueueUrl');
    expect(JSON.parse(siem['RedrivePolicy']!)).toEqual({
      deadLetterTargetArn: unreadable['QueueArn'],
      maxReceiveCount: 10,
    });
    const { PolicyVersion } = await client(each, 'IAM', IAMClient).send(
      new GetPolicyVersionCommand({ PolicyArn: name('SiemReaderPolicyArn'), VersionId: 'v1' }),
    );
    const { Statement: statements } = JSON.parse(decodeURIComponent(PolicyVersion!.Document!));
    expect(statements.map(({ Resource }: { Resource: string }) => Resource)).toEqual([
      `arn:aws:s3:::${name('BucketName')}/events/*`,
      name('SiemQueueArn'),
    ]);
    await client(each, 'STS', STSClient).send(new GetCallerIdentityCommand());
  });

  test('has a function with the template’s variables, except those that are given', async () => {
    const lambda = client(each, 'LAMBDA', LambdaClient);
    const { outputs } = each;
    const FunctionName = outputs['FunctionName'];
    const { Environment, Timeout } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    expect(Environment!.Variables).toEqual(each.functionEnvironment);
    expect(each.functionEnvironment).toMatchObject({
      ...ADDRESSES,
      STATE_TABLE: outputs['StateTableName'],
      DELIVERY_STREAM: outputs['DeliveryStreamName'],
      DEAD_LETTER_BUCKET: outputs['BucketName'],
      CONNECTOR_NAME: 'acme',
      DNS_BLOCKS_PATH: '/v1/dns-blocks',
    });
    expect(Timeout).toBe(900);
    const { Payload } = await lambda.send(new InvokeCommand({ FunctionName, Payload: Buffer.from('{"a":1}') }));
    expect(JSON.parse(Payload!.transformToString())).toEqual({ got: { a: 1 } });
    expect(each.invocations).toEqual([{ a: 1 }]);
  });

  test('has every alarm of the template in OK, and an alarm raises its composite alarm', async () => {
    const cloudwatch = client(each, 'CLOUDWATCH', CloudWatchClient);
    const names: string[] = [];
    const AlarmTypes = ['CompositeAlarm' as const, 'MetricAlarm' as const];
    for await (const page of paginateDescribeAlarms({ client: cloudwatch }, { AlarmTypes, AlarmNamePrefix: 'acme/' })) {
      const alarms = [...page.CompositeAlarms!, ...page.MetricAlarms!];
      names.push(...alarms.filter(({ StateValue }) => StateValue === 'OK').map(({ AlarmName }) => AlarmName!));
    }
    const wanted = ['Alarm', 'CompositeAlarm'].flatMap(type => resourcesOf(TEMPLATE, `AWS::CloudWatch::${type}`));
    expect(names.sort()).toEqual(wanted.map(([, { Properties }]) => Properties!['AlarmName']).sort());
    each.alarms.set('acme/stream-silent', 'ALARM');
    const raised = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmTypes }));
    const inAlarm = (alarms: readonly MetricAlarm[]) => alarms.filter(({ StateValue }) => StateValue === 'ALARM');
    expect(inAlarm(raised.CompositeAlarms!).map(({ AlarmName }) => AlarmName)).toEqual(['acme/critical']);
    expect(inAlarm(raised.MetricAlarms!)).toMatchObject([
      { AlarmName: 'acme/stream-silent', MetricName: 'StreamsFailed' },
    ]);
    each.alarms.set('acme/stream-silent', 'OK');
  });

  test('returns messages from the SIEM’s dead-letter queue to its queue, and none from the schedule’s', async () => {
    const sqs = client(each, 'SQS', SQSClient);
    const arnOf = (key: string) => each.outputs[key]!.replace(/^.*\/(\w+)\/(.*)$/, 'arn:aws:sqs:us-east-1:$1:$2');
    each.queues.send(each.outputs['SiemDeadLetterQueueUrl']!, { body: 'a', sourceArn: each.outputs['SiemQueueArn'] });
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf('SiemDeadLetterQueueUrl') }));
    expect(each.queues.messages(each.outputs['SiemQueueUrl']!).map(({ body }) => body)).toEqual(['a']);
    const refused = sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf('ScheduleDeadLetterQueueUrl') }));
    await expect(refused).rejects.toThrow('Source queue must be configured as a Dead Letter Queue.');
  });

  test('has the bucket notifications of the template and its topic without subscriptions', async () => {
    const s3 = client(each, 'S3', S3Client);
    const Bucket = each.outputs['BucketName'];
    const { QueueConfigurations } = await s3.send(new GetBucketNotificationConfigurationCommand({ Bucket }));
    const FilterRules = [{ Name: 'Prefix', Value: 'events/' }];
    expect(QueueConfigurations).toMatchObject([
      { QueueArn: each.outputs['SiemQueueArn'], Events: ['s3:ObjectCreated:*'], Filter: { Key: { FilterRules } } },
    ]);
    const listed = new ListSubscriptionsByTopicCommand({ TopicArn: each.outputs['AlarmTopicArn'] });
    expect((await client(each, 'SNS', SNSClient).send(listed)).Subscriptions).toEqual([]);
  });

  test('gives an operator’s process endpoints, region and credentials, and no variable of the function', () => {
    const { environment } = each;
    for (const name of Object.keys(environment)) expect(name).toMatch(/^AWS_/);
    const endpoints = Object.keys(environment).filter(name => name.startsWith('AWS_ENDPOINT_URL_'));
    expect(new Set(endpoints.map(name => environment[name])).size).toBe(endpoints.length);
    expect(environment).toMatchObject({ AWS_REGION: 'us-east-1', AWS_CONFIG_FILE: '/dev/null' });
  });
});

test('the account may have other stacks, or none', async () => {
  const cloudformation = client(each, 'CLOUDFORMATION', CloudFormationClient);
  const names = async () =>
    (await cloudformation.send(new DescribeStacksCommand({}))).Stacks!.map(({ StackName }) => StackName);
  const [own] = each.stacks.splice(0);
  expect(await names()).toEqual([]);
  each.stacks.push({ name: 'other', outputs: [] }, own!);
  expect(await names()).toEqual(['other', each.stackName]);
  each.stacks.shift();
});

test('a template that uses every option is deployed too', async () => {
  await using every = await deployed(EVERY_OPTION, { stackName: 'every' });
  expect(Object.keys(every.outputs)).toEqual(Object.keys(EVERY_OPTION.Outputs));
  expect(every.outputs['SiemReaderRoleArn']).toMatch(/^arn:aws:iam::000000000000:role\/every-/);
  const RoleName = every.outputs['SiemReaderRoleArn']!.replace(/^.*\//, '');
  const listed = await client(every, 'IAM', IAMClient).send(new ListAttachedRolePoliciesCommand({ RoleName }));
  expect(listed.AttachedPolicies).toMatchObject([{ PolicyArn: every.outputs['SiemReaderPolicyArn'] }]);
  expect(every.topics).toEqual([
    {
      arn: every.outputs['AlarmTopicArn'],
      subscriptions: [{ protocol: 'email', endpoint: 'on-call@acme.example', confirmed: false }],
    },
  ]);
});

test('endpoints with two buckets are refused for a stack', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'local-deployment-'));
  const aws = await startAws({ directory, secret: '{}' });
  const starting = startDeployment({ template: TEMPLATE, aws, invoke: async () => null, variables: {} });
  await expect(starting).rejects.toThrow('A stack has one bucket');
  await aws.close();
  await rm(directory, { recursive: true });
});
