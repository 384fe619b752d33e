/** Each variant of the configuration, updates in place, and deployments that fail. */
import { strict as assert } from 'node:assert';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { schemaViolations } from '../../support/function/event-schema.ts';
import type { Account, Deployment, Options } from './account.ts';
import { type Answer, assertTruth, forwarded, liveAssets, notifyTopic, runAndRead, setCredentials } from './acts.ts';
import { ACCOUNT } from './emulator.ts';
import { createReader, openSiem } from './siem.ts';
import type { Story } from './story.ts';

interface Variant {
  readonly options: (existing: Existing) => Options;
  /** Whether the emulator delivers lines that a SIEM can read. See docs/testing.md#deployments. */
  readonly read: boolean;
  /** The manual configuration that docs/configuration.md describes. */
  readonly byHand?: (deployed: Deployment) => Promise<unknown>;
}

const workspaceId = '11111111-2222-4333-8444-555555555555';
const SENTINEL = { siemReader: { type: 'sentinel', workspaceId, createOidcProvider: true } };
const READER = { siemReader: { type: 'external-id', principal: ACCOUNT, externalId: 'from-the-form' } };
const HTTP = { type: 'http', url: 'https://siem.acme.example/in' };
const SPLUNK = { type: 'splunk', url: 'https://splunk.acme.example:8088' };

const VARIANTS: Readonly<Record<string, Variant>> = {
  http: { options: () => ({ destination: HTTP }), read: false },
  splunk: { options: () => ({ destination: SPLUNK }), read: false },
  'external-id': { options: () => READER, read: true },
  sentinel: { options: () => SENTINEL, read: true },
  'own-key': { options: ({ key }) => ({ kmsKeyArn: key }), read: true },
  vpc: { options: ({ vpc, subnet }) => ({ vpc: { vpcId: vpc, subnetIds: [subnet] } }), read: true },
  'own-bucket': { options: ({ bucket }) => ({ bucketArn: `arn:aws:s3:::${bucket}` }), read: true, byHand: notifyTopic },
  'own-secret': { options: ({ secret }) => ({ secretArn: secret }), read: true },
  'own-topic': { options: ({ topic }) => ({ alarmTopicArn: topic }), read: true },
  boundary: { options: ({ boundary }) => ({ permissionsBoundaryArn: boundary }), read: true },
};

/** Each is added to the previous ones. */
const UPDATES: readonly (readonly [string, Options])[] = [
  ['requestsPerMinute', { requestsPerMinute: 600 }],
  ['memoryMegabytes and rateMinutes', { memoryMegabytes: 1024, rateMinutes: 5 }],
  [
    'alarmEmail and runbookUrl',
    { alarmEmail: 'on-call@acme.example', runbookUrl: 'https://wiki.acme.example/runbook' },
  ],
  ['siemReader', READER],
  ['retentionDays and logRetentionDays', { retentionDays: 30, logRetentionDays: 30 }],
];

export async function variants(account: Account, story: Story): Promise<void> {
  const { step } = story;
  account.api.simulator.populate({ assets: 60, threats: 40, dnsBlocks: 30 });
  const existing = await step('cdk bootstrap, and a stack of what an organization may have already', async () => {
    await account.bootstrap();
    return createExisting();
  });
  for (const [name, variant] of Object.entries(VARIANTS)) {
    await step(`variant ${name}`, () => deployVariant(name, variant, existing, account, story));
  }
  await updates(account, story);
  await failingUpdate(account, story);
  await failingFirstDeployment(account, story);
}

/** The schedule is off, and nobody is subscribed. */
const NOT_SET_UP = ['schedule', 'alarms', 'alarm-subscription'];

/** Deployed, filled, run and checked by doctor. */
async function deployVariant(
  name: string,
  { options, read, byHand }: Variant,
  existing: Existing,
  account: Account,
  { note }: Story,
): Promise<void> {
  const deployed = await account.deploy({ name, enabled: false, ...options(existing) });
  await byHand?.(deployed);
  await setCredentials(deployed, account);
  const answer: Answer = await deployed.json(['run']);
  assert(forwarded(answer) > 100);
  if (read) {
    const siem = openSiem(deployed, await createReader(deployed));
    const lines = await siem.read();
    assert.equal(lines.length, forwarded(answer));
    assert.deepEqual(schemaViolations(lines), []);
    assertTruth(siem, account);
  } else note(`in the bucket: ${await folders(deployed)}`);
  assert.equal(forwarded(await deployed.json(['run'])), 0);
  const { checks } = await deployed.json(['doctor'], [0, 3]);
  const found = (checks as { name: string; status: string }[]).filter(({ status }) => /warn|fail/.test(status));
  const names = found.map(check => check.name);
  assert.deepEqual(
    names.filter(each => !NOT_SET_UP.includes(each)),
    [],
  );
  // Needs the identity provider of Sentinel a second time, which must fail.
  if (name !== 'sentinel') await remove(deployed);
  note(`${forwarded(answer)} events; doctor finds: ${names.join(', ')}`);
}

/** How many objects are below each prefix of the bucket. */
async function folders({ outputs }: Deployment): Promise<string> {
  const list = new ListObjectsV2Command({ Bucket: outputs['BucketName'] });
  const { Contents = [] } = await new S3Client({ forcePathStyle: true }).send(list);
  const counts = Map.groupBy(Contents, ({ Key = '' }) => Key.split('/').slice(0, 2).join('/'));
  return [...counts].map(([folder, objects]) => `${objects.length} below ${folder}/`).join(', ') || 'nothing';
}

/** Includes function and schedule. Retained resources stay. */
async function remove({ stack: StackName }: Deployment): Promise<void> {
  const client = new CloudFormationClient();
  await client.send(new DeleteStackCommand({ StackName }));
  await waitUntilStackDeleteComplete({ client, maxWaitTime: 60, minDelay: 1 }, { StackName });
}

async function updates(account: Account, { step }: Story): Promise<void> {
  let options: Options = { name: 'updated', enabled: false };
  const first = await step('deploy, set-credentials, run', async () => {
    const deployed = await account.deploy(options);
    await setCredentials(deployed, account);
    await deployed.json(['run']);
    return deployed;
  });
  const siem = openSiem(first, await createReader(first));
  await siem.read();
  for (const [name, added] of UPDATES) {
    options = { ...options, ...added };
    await step(`update of ${name}: no event again, and a change is one event`, async () => {
      const deployed = await account.deploy(options);
      assert.equal(forwarded(await deployed.json(['run'])), 0);
      account.api.simulator.put('assets', { id: liveAssets(account)[0]!, changed: name });
      await runAndRead(deployed, siem, 1);
      assertTruth(siem, account);
    });
  }
}

/** An account can have the identity provider of Sentinel only once, and the variant `sentinel` has created it. */
async function failingUpdate(account: Account, { step, note }: Story): Promise<void> {
  const options = { name: 'rolled-back', enabled: false };
  const deployed = await step('deploy, set-credentials, run', async () => {
    const made = await account.deploy(options);
    await setCredentials(made, account);
    await made.json(['run']);
    return made;
  });
  const siem = openSiem(deployed, await createReader(deployed));
  await siem.read();
  await step('an update fails and is rolled back', async () => {
    const { status, stderr, stdout } = await account.cdk(['deploy', deployed.stack, '--require-approval', 'never'], {
      ...options,
      ...SENTINEL,
      memoryMegabytes: 1024,
    });
    assert.equal(status, 1, stdout);
    assert.match(stderr + stdout, /already exists/);
    const reached = await stackStatus(deployed.stack);
    assert.equal(reached, 'UPDATE_ROLLBACK_COMPLETE');
    note(reached);
  });
  await step('the connector still drains, and doctor says what happened', async () => {
    account.api.simulator.put('assets', { id: liveAssets(account)[1]!, changed: 'after the rollback' });
    await runAndRead(deployed, siem, 1);
    assertTruth(siem, account);
    const { checks } = await deployed.json(['doctor'], [3]);
    const { status, text } = checks.find((check: { name: string }) => check.name === 'last-deployment');
    assert.notEqual(status, 'ok');
    note(`last-deployment ${status}: ${text}`);
  });
  await step('the next deployment succeeds', async () => {
    await account.deploy({ ...options, memoryMegabytes: 1024 });
    assert.equal(await stackStatus(deployed.stack), 'UPDATE_COMPLETE');
    assert.equal(forwarded(await deployed.json(['run'])), 0);
  });
}

async function failingFirstDeployment(account: Account, { step }: Story): Promise<void> {
  const options = { name: 'never-made', enabled: false };
  const stack = 'SecurityDataConnector-never-made';
  const deploy = ['deploy', stack, '--require-approval', 'never'];
  await step('a first deployment fails', async () => {
    const { status, stdout, stderr } = await account.cdk(deploy, { ...options, ...SENTINEL });
    assert.equal(status, 1, stdout);
    assert.match(stderr + stdout, /already exists/);
    assert.equal(await stackStatus(stack), 'ROLLBACK_COMPLETE');
  });
  await step('the next deployment replaces the failed stack by itself, and the connector drains', async () => {
    const deployed = await account.deploy(options);
    await setCredentials(deployed, account);
    assert(forwarded(await deployed.json(['run'])) > 100);
  });
}

async function stackStatus(StackName: string): Promise<string | undefined> {
  const { Stacks: [stack] = [] } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName }));
  return stack?.StackStatus;
}

type Existing = Readonly<Record<'key' | 'vpc' | 'subnet' | 'bucket' | 'secret' | 'topic' | 'boundary', string>>;

const EXISTING = {
  Key: { Type: 'AWS::KMS::Key', Properties: { KeyPolicy: policy({ Principal: { AWS: '*' }, Action: 'kms:*' }) } },
  Vpc: { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16' } },
  Subnet: { Type: 'AWS::EC2::Subnet', Properties: { VpcId: { Ref: 'Vpc' }, CidrBlock: '10.0.0.0/24' } },
  Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'bucket-of-the-organization' } },
  Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { SecretString: '{}' } },
  Topic: { Type: 'AWS::SNS::Topic', Properties: {} },
  Boundary: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: policy({ Action: '*' }) } },
};

function policy(statement: object) {
  return { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Resource: '*', ...statement }] };
}

async function createExisting(): Promise<Existing> {
  const client = new CloudFormationClient();
  const value = (id: string) => ({ Value: id === 'Key' ? { 'Fn::GetAtt': [id, 'Arn'] } : { Ref: id } });
  const Outputs = Object.fromEntries(Object.keys(EXISTING).map(id => [id, value(id)]));
  const StackName = 'Existing';
  const TemplateBody = JSON.stringify({ Resources: EXISTING, Outputs });
  await client.send(new CreateStackCommand({ StackName, TemplateBody, Capabilities: ['CAPABILITY_IAM'] }));
  await waitUntilStackCreateComplete({ client, maxWaitTime: 60, minDelay: 1 }, { StackName });
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const outputs = stack!.Outputs!.map(({ OutputKey, OutputValue }) => [OutputKey!.toLowerCase(), OutputValue!]);
  return Object.fromEntries(outputs) as Existing;
}
