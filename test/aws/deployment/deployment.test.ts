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
import { IAMClient, ListAttachedRolePoliciesCommand } from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resourcesOf } from '../../../local/deployment/template.ts';
import { templateWith } from '../../stack/shared-template.ts';
import { VARIANTS } from '../../stack/variants.ts';
import { startAws } from '../endpoints.ts';
import { ADDRESSES, client, type Deployed, deployed } from './deployed.ts';
import { startDeployment } from './deployment.ts';

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

  test('gives an operator’s process endpoints, region and credentials, and no variable of the function', () => {
    const { environment } = each;
    for (const name of Object.keys(environment)) expect(name).toMatch(/^AWS_/);
    const endpoints = Object.keys(environment).filter(name => name.startsWith('AWS_ENDPOINT_URL_'));
    expect(new Set(endpoints.map(name => environment[name])).size).toBe(endpoints.length);
    expect(environment).toMatchObject({ AWS_REGION: 'us-east-1', AWS_CONFIG_FILE: '/dev/null' });
  });
});

test('a template that uses every option is deployed too', async () => {
  await using every = await deployed(EVERY_OPTION, { stackName: 'every' });
  expect(Object.keys(every.outputs)).toEqual(Object.keys(EVERY_OPTION.Outputs));
  expect(every.outputs['SiemReaderRoleArn']).toMatch(/^arn:aws:iam::000000000000:role\/every-/);
  const RoleName = every.outputs['SiemReaderRoleArn']!.replace(/^.*\//, '');
  const listed = await client(every, 'IAM', IAMClient).send(new ListAttachedRolePoliciesCommand({ RoleName }));
  expect(listed.AttachedPolicies).toMatchObject([{ PolicyArn: every.outputs['SiemReaderPolicyArn'] }]);
  const queue = { protocol: 'sqs', endpoint: every.outputs['SiemQueueArn'], confirmed: true };
  const address = { protocol: 'email', endpoint: 'on-call@acme.example', confirmed: false };
  expect(every.topics).toEqual([
    { arn: every.outputs['NewObjectsTopicArn'], subscriptions: [queue] },
    { arn: every.outputs['AlarmTopicArn'], subscriptions: [address] },
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
