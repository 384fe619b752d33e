/**
 * Updates a stack of an earlier release in place. No event is repeated, no state is lost, and the
 * reader keeps its access.
 */

import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../../documents/pages.ts';
import { command } from '../../support/parts/command.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { type Account, type Deployment, openAccount } from './account.ts';
import { assertTruth, liveAssets } from './acts.ts';
import { openSiem, type Siem } from './siem.ts';

/**
 * The first commit with the table of 0.1.0. No release has been tagged yet, so it stands for one.
 */
const RELEASE = '466df1c';

const OPTIONS = { name: `of-${RELEASE}`, enabled: false };

let folder: TemporaryFolder;
let account: Account;
let before: Deployment;
let after: Deployment;
let siem: Siem;
let resources: Awaited<ReturnType<typeof resourcesOf>>;
beforeAll(async () => {
  folder = await temporaryFolder('release-');
  await unpackRelease(folder.path);
  account = await openAccount();
  account.api.simulator.populate({ assets: 300, threats: 200, dnsBlocks: 100 });
  before = await account.deploy(OPTIONS, folder.path);
  await fillCredentials();
  siem = await openSiem(before);
  await invoke();
  await siem.remove(await taken());
  const [changed, removed] = liveAssets(account);
  account.api.simulator.put('assets', { id: changed!, changed: 'before the update' });
  account.api.simulator.remove('assets', removed!);
  resources = await resourcesOf(before);
  after = await account.deploy(OPTIONS);
});
afterAll(async () => {
  await account[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test('the SIEM reads on with the URL and the policy that it was set up with', async () => {
  await siem.read();
  const { SiemQueueUrl, SiemReaderPolicyArn, BucketName } = before.outputs;
  expect(after.outputs).toMatchObject({ SiemQueueUrl, SiemReaderPolicyArn, BucketName });
});

test('the first run of this release sends what changed, and nothing else again', async () => {
  await after.json(['run']);
  const kinds = (await siem.read()).map(line => JSON.parse(line).kind);
  expect(kinds.filter(kind => kind !== 'withdrawn').sort()).toEqual(['tombstone', 'upsert']);
  assertTruth(siem, account);
});

test('verify and status find no lost state', async () => {
  expect(await after.ctl(['verify'])).toMatchObject({ status: 0 });
  expect(await after.ctl(['status'])).toMatchObject({ status: 0 });
});

test('the update replaces nothing that holds data or that others were set up with', async () => {
  const now = await resourcesOf(after);
  const held = /^AWS::(DynamoDB|S3|SQS|SecretsManager|SNS|KinesisFirehose|Lambda|Scheduler)::|ManagedPolicy/;
  const kept = [...resources].filter(([, { type }]) => held.test(type));
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.filter(([id, { physical }]) => now.get(id)?.physical !== physical)).toEqual([]);
});

async function unpackRelease(path: string): Promise<void> {
  const archive = join(path, 'release.tar');
  await command('git', ['archive', '--output', archive, RELEASE], 60);
  await command('tar', ['-xf', archive, '-C', path], 60);
  // Both releases use the packages of this one.
  await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
}

/** Fills the secret as the output `FillCredentials` of the earlier release says. */
async function fillCredentials(): Promise<void> {
  const { clientId: client_id, clientSecret: client_secret } = account.api.simulator.account;
  const SecretId = /--secret-id (\S+)/.exec(before.outputs['FillCredentials']!)![1];
  const SecretString = JSON.stringify({ client_id, client_secret });
  await new SecretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString }));
}

async function invoke(): Promise<void> {
  const input = { FunctionName: before.outputs['FunctionName'], Payload: '{}' };
  const { FunctionError } = await new LambdaClient().send(new InvokeCommand(input));
  expect(FunctionError).toBeUndefined();
}

/** One message, so that some of it is left unread. */
async function taken() {
  const message = (await siem.receive())!;
  await siem.take(message);
  return message;
}

async function resourcesOf({ stack }: Deployment) {
  const resources = new Map<string, { readonly type: string; readonly physical: string | undefined }>();
  const pages = paginateListStackResources({ client: new CloudFormationClient() }, { StackName: stack });
  for await (const { StackResourceSummaries = [] } of pages) {
    for (const { LogicalResourceId: id, ResourceType: type, PhysicalResourceId: physical } of StackResourceSummaries) {
      resources.set(id!, { type: type!, physical });
    }
  }
  return resources;
}
