/** Takes each permission away alone. What needs it must fail as documented, and work again after the permission is put back. */
import { strict as assert } from 'node:assert';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { FirehoseClient, PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import {
  CreatePolicyVersionCommand,
  DeletePolicyVersionCommand,
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListRolePoliciesCommand,
  PutRolePolicyCommand,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  ChangeMessageVisibilityCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { type Account, type Deployment, succeeded } from './account.ts';
import { assertCopy, assertDenied, assertTruth, lastLine, secretOf, setCredentials } from './acts.ts';
import { ACCOUNT } from './emulator.ts';
import { createReader, openSiem, type Siem } from './siem.ts';
import type { Story } from './story.ts';

const EXTERNAL_ID = 'from-the-form';
const OPTIONS = { siemReader: { type: 'external-id', principal: ACCOUNT, externalId: EXTERNAL_ID } };

export async function permissions(account: Account, { step, note }: Story): Promise<void> {
  const { simulator } = account.api;
  simulator.populate({ assets: 40, threats: 30, dnsBlocks: 20 });
  const acme = await step('bootstrap, deploy, set-credentials, run', async () => {
    await account.bootstrap();
    const deployed = await account.deploy(OPTIONS);
    await deployed.json(['pause']);
    await setCredentials(deployed, account);
    await deployed.json(['run']);
    return deployed;
  });
  const siem = openSiem(acme, await createReader(acme));
  await siem.read();
  assertTruth(siem, account);
  const role = await functionPolicy(acme);
  const granted = grantsOf(role.document);
  for (const { action, resource } of granted) {
    const name = `without ${action}${resource.includes('dead-letter/') ? ' (dead letters)' : ''}`;
    const notTried = NOT_TRIED.find(([pattern]) => pattern.test(action));
    if (notTried) {
      note(`not tried: ${action} ${notTried[1]}`);
      continue;
    }
    const need = NEEDS[action];
    assert(need, `${action} is granted, and no story needs it`);
    await step(name, async () => {
      const act = await need.prepare(account, acme);
      await role.put(without(role.document, action, resource));
      const failed = await act();
      assert.notEqual(failed.status, 0, failed.stdout);
      assert.match(failed.stderr + failed.stdout, new RegExp(`\\b${action}\\b`));
      note(lastLine(failed.stderr + failed.stdout).slice(0, 260));
      await role.put(role.document);
      succeeded(await act());
      await need.after?.(account, acme);
      await siem.read();
      // Between Firehose's acknowledgement and the save, a failure may repeat rows.
      assertCopy(siem, account);
    });
  }
  await readersPolicy(account, acme, siem, { step, note });
  await readersRole(acme, { step });
}

type Act = () => ReturnType<Deployment['ctl']>;

interface Need {
  /** Prepares a situation that needs the permission. @returns the command that needs it */
  prepare(account: Account, acme: Deployment): Promise<Act>;
  after?(account: Account, acme: Deployment): Promise<void>;
}

let changes = 0;

const RUN: Need = { prepare: async (_, acme) => () => acme.ctl(['run']) };

const CHANGE: Need = {
  async prepare({ api: { simulator } }, acme) {
    changes += 1;
    simulator.put('assets', { id: `asset-${changes}`, change: changes });
    simulator.put('threats', { id: `threat-${changes}`, asset_id: `asset-${changes}`, change: changes });
    return () => acme.ctl(['run']);
  },
};

const OVERSIZE: Need = {
  async prepare({ api: { simulator } }, acme) {
    simulator.put('assets', { id: 'large', text: 'x'.repeat(1_100_000), change: ++changes });
    return () => acme.ctl(['run']);
  },
  async after({ api: { simulator } }, acme) {
    simulator.put('assets', { id: 'large', text: 'short', change: ++changes });
    succeeded(await acme.ctl(['run']));
  },
};

const ROTATION: Need = {
  async prepare(account, acme) {
    account.api.simulator.account.rotateSecret();
    account.api.simulator.authority.expireTokens();
    await setCredentials(acme, account);
    return () => acme.ctl(['run']);
  },
};

const NOT_TRIED: readonly (readonly [RegExp, string])[] = [
  [/^logs:/, 'is used by the runtime of Lambda, and the emulator does not check it'],
  [/^dynamodb:Scan$/, 'is used only when a changed client proves itself by single reads, which npm test plays'],
];

/** What uses each action of the function's role. */
const NEEDS: Readonly<Record<string, Need>> = {
  'dynamodb:BatchGetItem': RUN,
  'dynamodb:BatchWriteItem': CHANGE,
  'dynamodb:PutItem': CHANGE,
  'dynamodb:Query': RUN,
  'dynamodb:UpdateItem': RUN,
  'firehose:PutRecordBatch': CHANGE,
  's3:PutObject': OVERSIZE,
  'secretsmanager:GetSecretValue': ROTATION,
};

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

interface PolicyDocument {
  readonly Version: string;
  readonly Statement: readonly Statement[];
}

function grantsOf({ Statement: statements }: PolicyDocument) {
  return statements.flatMap(({ Action: actions, Resource: resources }) =>
    [actions].flat().flatMap(action => [resources].flat().map(resource => ({ action, resource }))),
  );
}

/** A policy with one statement for each grant except this one. */
function without(document: PolicyDocument, action: string, resource?: string): PolicyDocument {
  const kept = grantsOf(document).filter(
    each => each.action !== action || (resource !== undefined && each.resource !== resource),
  );
  return {
    ...document,
    Statement: kept.map(each => ({ Effect: 'Allow', Action: each.action, Resource: each.resource })),
  };
}

const iam = () => new IAMClient();

/** The only policy of the function's role. */
async function functionPolicy({ outputs }: Deployment) {
  const ask = new GetFunctionConfigurationCommand({ FunctionName: outputs['FunctionName'] });
  const { Role = '' } = await new LambdaClient().send(ask);
  const RoleName = Role.split('/').at(-1)!;
  const { PolicyNames = [] } = await iam().send(new ListRolePoliciesCommand({ RoleName }));
  assert.equal(PolicyNames.length, 1);
  const [PolicyName] = PolicyNames;
  const { PolicyDocument = '' } = await iam().send(new GetRolePolicyCommand({ RoleName, PolicyName }));
  return {
    document: parseDocument(PolicyDocument),
    async put(document: PolicyDocument) {
      const text = JSON.stringify(document);
      await iam().send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument: text }));
    },
  };
}

/** IAM returns it percent-encoded. */
function parseDocument(text: string): PolicyDocument {
  return JSON.parse(text.startsWith('{') ? text : decodeURIComponent(text));
}

type Calls = Readonly<Record<string, () => Promise<unknown>>>;

async function readersPolicy(
  account: Account,
  acme: Deployment,
  siem: Siem,
  { step, note }: Pick<Story, 'step' | 'note'>,
) {
  const { outputs } = acme;
  const { Bucket, key } = await anEvent(outputs['BucketName']!);
  const QueueUrl = outputs['SiemQueueUrl'];
  await step('the reader’s policy allows what it says', async () => {
    account.api.simulator.put('assets', { id: 'asset-7', for: 'the reader' });
    await acme.json(['run']);
    assert.equal((await siem.read()).length, 1);
    await siem.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    await siem.sqs.send(new GetQueueUrlCommand({ QueueName: QueueUrl!.split('/').at(-1) }));
  });
  await step('and nothing else', async () => {
    const config = { credentials: await siem.sqs.config.credentials() };
    const s3 = new S3Client({ ...config, forcePathStyle: true });
    const calls: Calls = {
      's3:GetObject of dead-letter/': () =>
        s3.send(new GetObjectCommand({ Bucket, Key: 'dead-letter/acme/assets/x.json' })),
      's3:PutObject': () => s3.send(new PutObjectCommand({ Bucket, Key: key, Body: 'x' })),
      's3:DeleteObject': () => s3.send(new DeleteObjectCommand({ Bucket, Key: key })),
      's3:ListBucket': () => s3.send(new ListObjectsV2Command({ Bucket })),
      'sqs:SendMessage': () => siem.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' })),
      'sqs:PurgeQueue': () => siem.sqs.send(new PurgeQueueCommand({ QueueUrl })),
      'sqs:DeleteQueue': () => siem.sqs.send(new DeleteQueueCommand({ QueueUrl })),
      'sqs:ReceiveMessage of the dead-letter queue': () =>
        siem.sqs.send(new ReceiveMessageCommand({ QueueUrl: outputs['SiemDeadLetterQueueUrl'] })),
      'dynamodb:Scan': () => new DynamoDBClient(config).send(new ScanCommand({ TableName: outputs['StateTableName'] })),
      'secretsmanager:GetSecretValue': () =>
        new SecretsManagerClient(config).send(new GetSecretValueCommand({ SecretId: secretOf(outputs) })),
      'lambda:InvokeFunction': () =>
        new LambdaClient(config).send(new InvokeCommand({ FunctionName: outputs['FunctionName'] })),
      'firehose:PutRecordBatch': () =>
        new FirehoseClient(config).send(
          new PutRecordBatchCommand({
            DeliveryStreamName: outputs['DeliveryStreamName'],
            Records: [{ Data: Buffer.from('{}') }],
          }),
        ),
    };
    for (const [name, call] of Object.entries(calls)) await assertDenied(name, call());
    note(`denied: ${Object.keys(calls).join(', ')}`);
  });
  const policy = await managedPolicy(outputs['SiemReaderPolicyArn']!);
  for (const { action } of grantsOf(policy.document)) {
    await step(`the reader without ${action}`, async () => {
      account.api.simulator.put('assets', { id: 'asset-8', change: ++changes });
      await acme.json(['run']);
      const calls: Calls = {
        's3:GetObject': () => siem.s3.send(new GetObjectCommand({ Bucket, Key: key })),
        'sqs:ReceiveMessage': () => siem.receive(),
        'sqs:DeleteMessage': () => siem.remove({ ReceiptHandle: 'none' }),
        'sqs:ChangeMessageVisibility': () =>
          siem.sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: 'none', VisibilityTimeout: 0 })),
        'sqs:GetQueueAttributes': () => siem.sqs.send(new GetQueueAttributesCommand({ QueueUrl })),
        'sqs:GetQueueUrl': () => siem.sqs.send(new GetQueueUrlCommand({ QueueName: QueueUrl!.split('/').at(-1) })),
      };
      await policy.put(without(policy.document, action));
      await assertDenied(action, calls[action]!());
      await policy.put(policy.document);
      await siem.read();
      // Between Firehose's acknowledgement and the save, a failure may repeat rows.
      assertCopy(siem, account);
    });
  }
}

/** A role that a SIEM assumes from its own account. */
async function readersRole(acme: Deployment, { step }: Pick<Story, 'step'>): Promise<void> {
  const { outputs } = acme;
  const user = await createReader(acme);
  const assume = (ExternalId?: string) =>
    new STSClient({ credentials: user }).send(
      new AssumeRoleCommand({ RoleArn: outputs['SiemReaderRoleArn'], RoleSessionName: 'siem', ExternalId }),
    );
  await step('the reader’s role is assumed with the external id, and not without', async () => {
    const UserName = user.name;
    const Statement = [{ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: outputs['SiemReaderRoleArn'] }];
    const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
    await iam().send(new PutUserPolicyCommand({ UserName, PolicyName: 'assume', PolicyDocument }));
    const { Credentials } = await assume(EXTERNAL_ID);
    const siem = openSiem(acme, {
      accessKeyId: Credentials!.AccessKeyId!,
      secretAccessKey: Credentials!.SecretAccessKey!,
      sessionToken: Credentials!.SessionToken!,
    });
    await siem.read();
    await assertDenied('another external id', assume('another'));
    await assertDenied('no external id', assume());
  });
}

async function anEvent(Bucket: string) {
  const { Contents = [] } = await new S3Client({ forcePathStyle: true }).send(
    new ListObjectsV2Command({ Bucket, Prefix: 'events/' }),
  );
  return { Bucket, key: Contents[0]!.Key! };
}

/** Changed by adding versions, as CloudFormation does. */
async function managedPolicy(PolicyArn: string) {
  const { Policy } = await iam().send(new GetPolicyCommand({ PolicyArn }));
  const first = Policy!.DefaultVersionId!;
  const { PolicyVersion } = await iam().send(new GetPolicyVersionCommand({ PolicyArn, VersionId: first }));
  let current = first;
  return {
    document: parseDocument(PolicyVersion!.Document!),
    async put(document: PolicyDocument) {
      const PolicyDocument = JSON.stringify(document);
      const created = await iam().send(
        new CreatePolicyVersionCommand({ PolicyArn, PolicyDocument, SetAsDefault: true }),
      );
      await iam().send(new DeletePolicyVersionCommand({ PolicyArn, VersionId: current }));
      current = created.PolicyVersion!.VersionId!;
    },
  };
}
