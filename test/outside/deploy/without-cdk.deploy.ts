/**
 * The template of `npm run template`, deployed, updated and removed by the commands of
 * docs/without-cdk.md.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { command } from '../../support/parts/command.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { type Account, type Deployment, describeDeployment, openAccount } from './account.ts';
import { assertTruth, forwarded, liveAssets, runAndRead, setCredentials } from './acts.ts';
import { openSiem, type Siem } from './siem.ts';

const SECONDS = 120;
const ARTIFACTS = 'artifacts-of-the-organization';
const TEMPLATE = 'security-data-connector.template.json';

/**
 * Options that are arguments of the command, because the resources of the template follow from
 * them.
 */
const ENDPOINT = {
  destination: { type: 'splunk', url: 'https://splunk.acme.example:8088' },
  rateMinutes: 5,
  filters: { assets: "id != 'asset-1'" },
};

type Parameters = Readonly<Record<string, string>>;

let folder: TemporaryFolder;
let account: Account;
let plain: string;
let connector: Deployment;
let siem: Siem;
beforeAll(async () => {
  folder = await temporaryFolder('without-cdk-');
  account = await openAccount();
  account.api.simulator.populate({ assets: 120, threats: 90, dnsBlocks: 60 });
  plain = await makeTemplate('plain');
  await aws('s3', 'mb', `s3://${ARTIFACTS}`);
  await aws('s3', 'cp', join(plain, 'function.zip'), `s3://${ARTIFACTS}/function-1.zip`);
  const parameters = { ...required(), ConnectorName: 'plain', DnsBlocksPath: '/v1/dns-blocks' };
  connector = await deploy('plain', plain, parameters);
  siem = await openSiem(connector);
});
afterAll(async () => {
  await account[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test('the first run sends every row, and the copy of the SIEM equals the truth', async () => {
  await setCredentials(connector, account);
  const answer = await connector.json(['run']);
  expect((await siem.read()).length).toBe(forwarded(answer));
  assertTruth(siem, account);
});

test('doctor and status find the connector by its exports', async () => {
  // The schedule is off, and nobody gets the alarms.
  expect(await findings(connector)).toEqual(['schedule', 'alarm-subscription']);
  expect((await connector.ctl(['status'])).stdout).toMatch(/^plain: paused: the schedule is off/);
});

test('an update of three parameters keeps the others, and the next run sends one change', async () => {
  const changed = { RequestsPerMinute: '600', AlarmEmail: 'on-call@acme.example', MemoryMegabytes: '1024' };
  await deploy('plain', plain, changed);
  account.api.simulator.put('assets', { id: liveAssets(account)[0]!, changed: 'after the update' });
  await runAndRead(connector, siem, 1);
  assertTruth(siem, account);
});

test('an update that names a reader adds a role that can be assumed', async () => {
  const reader = { ReaderPrincipal: '111122223333', ReaderExternalId: 'from-the-form' };
  const { outputs } = await deploy('plain', plain, reader);
  const role = ['--role-arn', outputs['SiemReaderRoleArn']!, '--role-session-name', 'siem'];
  await aws('sts', 'assume-role', ...role, '--external-id', 'from-the-form');
});

test('a second connector takes an endpoint, a rate and a filter from a file', async () => {
  const options = join(folder.path, 'options.json');
  writeFileSync(options, JSON.stringify(ENDPOINT));
  const endpoint = await makeTemplate('endpoint', '--options', options);
  const other = await deploy('other', endpoint, { ...required(), ConnectorName: 'other' });
  await setCredentials(other, account);
  const { streams } = await other.json(['run']);
  expect(streams.assets.filtered).toBe(1);
  expect(streams).not.toHaveProperty('dns-blocks');
  expect(await findings(other)).toEqual(['schedule', 'alarm-subscription']);
  await remove(other);
});

test('the events stay in the bucket after aws cloudformation delete-stack', async () => {
  await remove(connector);
  expect(await aws('s3', 'ls', '--recursive', `s3://${connector.outputs['BucketName']}/events/`)).toMatch(/\.json\.gz/);
});

/** @returns the folder with the two files */
async function makeTemplate(name: string, ...options: readonly string[]): Promise<string> {
  const out = join(folder.path, name);
  const args = ['--no-warnings', 'packaging/template.ts', '--out', out, ...options];
  await command(process.execPath, args, SECONDS, { environment: account.environment });
  return out;
}

/** Parameters that every deployment needs. */
function required() {
  const { baseUrl: BaseUrl, authUrl: AuthUrl } = account.api;
  return { BaseUrl, AuthUrl, Enabled: 'false', ArtifactBucket: ARTIFACTS, ArtifactKey: 'function-1.zip' };
}

async function deploy(name: string, made: string, parameters: Parameters): Promise<Deployment> {
  const overrides = Object.entries(parameters).map(([parameter, value]) => `${parameter}=${value}`);
  const file = ['--template-file', join(made, TEMPLATE), '--capabilities', 'CAPABILITY_NAMED_IAM'];
  await aws('cloudformation', 'deploy', '--stack-name', name, ...file, '--parameter-overrides', ...overrides);
  return describeDeployment(name, name, account.environment);
}

async function remove({ stack }: Deployment): Promise<void> {
  await aws('cloudformation', 'delete-stack', '--stack-name', stack);
  await aws('cloudformation', 'wait', 'stack-delete-complete', '--stack-name', stack);
}

function aws(...args: readonly string[]): Promise<string> {
  // The CLI does not read AWS_REGION.
  const environment = { ...account.environment, AWS_DEFAULT_REGION: account.environment['AWS_REGION'] };
  return command(account.python, ['-m', 'awscli', ...args], SECONDS, { environment });
}

/** Names of the checks that found something. */
async function findings(deployed: Deployment): Promise<string[]> {
  const { checks } = await deployed.json(['doctor'], [0, 3]);
  const found = (checks as { name: string; status: string }[]).filter(({ status }) => /warn|fail/.test(status));
  return found.map(({ name }) => name);
}
