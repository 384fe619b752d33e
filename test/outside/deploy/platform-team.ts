/** The example of a platform team: each of its two roles may do what it was granted, and nothing else. */
import { strict as assert } from 'node:assert';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DeleteAlarmsCommand, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { FirehoseClient, PutRecordCommand } from '@aws-sdk/client-firehose';
import {
  CreateAccessKeyCommand,
  CreateUserCommand,
  IAMClient,
  PutRolePolicyCommand,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { InvokeCommand, LambdaClient, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { command, type Ended, run } from '../../support/parts/command.ts';
import { type Account, succeeded } from './account.ts';
import { assertDenied, lastLine, secretOf } from './acts.ts';
import type { Story } from './story.ts';

const STACK = 'PlatformTeamStack';

interface Role {
  readonly name: string;
  /** Session of the role, for clients. */
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken: string;
  };
  ctl(args: readonly string[], more?: Readonly<Record<string, string>>): Promise<Ended>;
}

/** Commands that change nothing, with their allowed exit statuses. A finding is allowed. */
const LOOKS: readonly (readonly string[])[] = [
  ['status'],
  ['doctor'],
  ['lookup', 'assets', 'asset-1', '--related'],
  ['lookup', 'threats', 'threat-1'],
  ['verify', '--wait', '0'],
  ['dead-letters', 'list'],
];

/** Commands that change something, and the permission that on-call lacks. */
const ACTS: readonly (readonly [args: readonly string[], lacks: string])[] = [
  [['pause'], 'scheduler:UpdateSchedule'],
  [['pause', '--mute'], 'cloudwatch:DisableAlarmActions'],
  [['run'], 'lambda:InvokeFunction'],
  [['resync', 'assets', '--yes'], 'lambda:InvokeFunction'],
  [['resync', 'threats', '--send-all', '--yes'], 'lambda:InvokeFunction'],
  [['test-event'], 'firehose:PutRecord'],
  [['resume'], 'cloudwatch:EnableAlarmActions'],
];

export async function platformTeam(account: Account, { step, note }: Story): Promise<void> {
  const { simulator } = account.api;
  simulator.populate({ assets: 40, threats: 30, dnsBlocks: 0 });
  await step('npm run build, bootstrap, cdk deploy of the example', async () => {
    await command('npm', ['run', 'build', '--loglevel=error'], 120);
    await account.bootstrap();
    const { baseUrl, authUrl } = account.api;
    const app = ['--app', `${process.execPath} --no-warnings test/outside/deploy/platform-team-app.ts`];
    const context = ['--context', `baseUrl=${baseUrl}`, '--context', `authUrl=${authUrl}`];
    succeeded(await account.cdk(['deploy', STACK, '--require-approval', 'never', ...app, ...context]));
  });
  const outputs = await outputsOf(STACK);
  const [onCall, administrator] = await step('both roles are assumed', () => assumeRoles(account, outputs));
  await step('the administrator sets the credentials and runs', async () => {
    const { clientId, clientSecret } = simulator.account;
    succeeded(await administrator.ctl(['set-credentials'], { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }));
    succeeded(await administrator.ctl(['run']));
  });
  for (const role of [onCall, administrator]) {
    await step(`${role.name}: each command that only looks`, async () => {
      for (const args of LOOKS) assertAnswered(args, await role.ctl(args));
    });
  }
  await step('on-call: each command that changes something is refused, and names what it lacks', async () => {
    for (const [args, lacks] of ACTS) {
      const { status, stdout, stderr } = await onCall.ctl(args);
      assert.equal(status, 1, `${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
      assert.match(stdout + stderr, new RegExp(`\\b${lacks}\\b`), args.join(' '));
      note(`${args[0]}: ${lastLine(stderr).slice(0, 160)}`);
    }
  });
  await step('the administrator: each of these commands', async () => {
    for (const [args] of ACTS) assertAnswered(args, await administrator.ctl(args));
  });
  for (const role of [onCall, administrator]) {
    await step(`${role.name}: no other call`, async () => {
      const calls = otherCalls(role, outputs);
      const all = { ...calls.ofNobody, ...(role === onCall ? calls.ofAdministrators : {}) };
      for (const [name, call] of Object.entries(all)) await assertDenied(name, call());
      note(`denied: ${Object.keys(all).join(', ')}`);
    });
  }
  await step('the alarms of the example are those that it configures', async () => {
    const ask = new DescribeAlarmsCommand({ AlarmNamePrefix: 'acme/', AlarmTypes: ['MetricAlarm', 'CompositeAlarm'] });
    const { MetricAlarms = [], CompositeAlarms = [] } = await new CloudWatchClient().send(ask);
    const [stalled] = MetricAlarms.filter(({ AlarmName }) => AlarmName === 'acme/siem-reader-stalled');
    assert.equal(stalled?.Threshold, 10_800);
    assert(!MetricAlarms.some(({ AlarmName }) => AlarmName === 'acme/function-errors'));
    const [warning] = CompositeAlarms.filter(({ AlarmName }) => AlarmName === 'acme/warning');
    assert.match(warning?.AlarmRule ?? '', /siem-reader-stalled/);
  });
}

/** Asserts that nothing was refused. A finding is allowed, because nobody is subscribed and no SIEM reads. */
function assertAnswered(args: readonly string[], { status, stdout, stderr }: Ended): void {
  assert([0, 3].includes(status as number), `${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  assert.doesNotMatch(stdout + stderr, /You need|AccessDenied|not authorized/, args.join(' '));
}

async function outputsOf(StackName: string): Promise<Readonly<Record<string, string>>> {
  const { Stacks: [found] = [] } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName }));
  // Outputs of the connector are exported, outputs of the app are not.
  return Object.fromEntries(
    found!.Outputs!.map(({ OutputKey, OutputValue, ExportName }) => [
      ExportName?.split(':').at(-1) ?? OutputKey!,
      OutputValue!,
    ]),
  );
}

async function assumeRoles(
  account: Account,
  outputs: Readonly<Record<string, string>>,
): Promise<readonly [onCall: Role, administrator: Role]> {
  const iam = new IAMClient();
  const UserName = 'operator';
  await iam.send(new CreateUserCommand({ UserName }));
  const roles = ['OnCall', 'Administrator'] as const;
  const Resource = roles.map(name => outputs[`${name}RoleArn`]);
  const PolicyDocument = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Resource }],
  });
  await iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'assume', PolicyDocument }));
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  const user = { accessKeyId: AccessKey!.AccessKeyId!, secretAccessKey: AccessKey!.SecretAccessKey! };
  const assume = async (name: (typeof roles)[number]): Promise<Role> => {
    const ask = new AssumeRoleCommand({ RoleArn: outputs[`${name}RoleArn`], RoleSessionName: name });
    const { Credentials: given } = await new STSClient({ credentials: user }).send(ask);
    const credentials = {
      accessKeyId: given!.AccessKeyId!,
      secretAccessKey: given!.SecretAccessKey!,
      sessionToken: given!.SessionToken!,
    };
    const environment = {
      ...account.environment,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_SESSION_TOKEN: credentials.sessionToken,
    };
    return {
      name,
      credentials,
      ctl: (args, more = {}) =>
        run(process.execPath, ['dist/packaging/connectorctl.js', ...args, '--connector', 'acme'], 300, {
          environment: { ...environment, ...more },
        }),
    };
  };
  return [await assume('OnCall'), await assume('Administrator')];
}

type Calls = Readonly<Record<string, () => Promise<unknown>>>;

/** Calls that no grant allows, and calls that only `grantOperate` allows. */
function otherCalls({ credentials }: Role, outputs: Readonly<Record<string, string>>) {
  const config = { credentials };
  const s3 = new S3Client({ ...config, forcePathStyle: true });
  const Bucket = outputs['BucketName'];
  const FunctionName = outputs['FunctionName'];
  const lambda = new LambdaClient(config);
  const ofNobody: Calls = {
    's3:ListBucket without a prefix': () => s3.send(new ListObjectsV2Command({ Bucket })),
    's3:GetObject of another prefix': () => s3.send(new GetObjectCommand({ Bucket, Key: 'other/x.json' })),
    's3:DeleteObject of events/': () => s3.send(new DeleteObjectCommand({ Bucket, Key: 'events/x.json.gz' })),
    's3:PutObject of dead-letter/': () =>
      s3.send(new PutObjectCommand({ Bucket, Key: 'dead-letter/acme/x.json', Body: 'x' })),
    'dynamodb:PutItem': () =>
      new DynamoDBClient(config).send(
        new PutItemCommand({ TableName: outputs['StateTableName'], Item: { pk: { S: 'x' }, sk: { S: 'x' } } }),
      ),
    'lambda:UpdateFunctionConfiguration': () =>
      lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: 1 })),
    'cloudwatch:DeleteAlarms': () =>
      new CloudWatchClient(config).send(new DeleteAlarmsCommand({ AlarmNames: ['acme/critical'] })),
    'sqs:PurgeQueue': () => new SQSClient(config).send(new PurgeQueueCommand({ QueueUrl: outputs['SiemQueueUrl'] })),
    'iam:PutRolePolicy': () =>
      new IAMClient(config).send(
        new PutRolePolicyCommand({
          RoleName: outputs['OnCallRoleArn']!.split('/').at(-1)!,
          PolicyName: 'more',
          PolicyDocument: '{"Version":"2012-10-17","Statement":[]}',
        }),
      ),
  };
  const ofAdministrators: Calls = {
    'lambda:InvokeFunction': () => lambda.send(new InvokeCommand({ FunctionName })),
    'firehose:PutRecord': () =>
      new FirehoseClient(config).send(
        new PutRecordCommand({
          DeliveryStreamName: outputs['DeliveryStreamName'],
          Record: { Data: Buffer.from('{}') },
        }),
      ),
    's3:PutObject of events/': () => s3.send(new PutObjectCommand({ Bucket, Key: 'events/x.json.gz', Body: 'x' })),
    's3:DeleteObject of delivery-errors/': () => s3.send(new DeleteObjectCommand({ Bucket, Key: 'delivery-errors/x' })),
    'secretsmanager:PutSecretValue': () =>
      new SecretsManagerClient(config).send(
        new PutSecretValueCommand({ SecretId: secretOf(outputs), SecretString: '{}' }),
      ),
  };
  return { ofNobody, ofAdministrators };
}
