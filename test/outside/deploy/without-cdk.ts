/** The template of `npm run template`, deployed, updated and removed by the commands of docs/without-cdk.md. */
import { strict as assert } from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../../support/parts/command.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { type Account, type Deployment, describe } from './account.ts';
import { assertTruth, forwarded, liveAssets, runAndRead, setCredentials } from './acts.ts';
import { ACCOUNT } from './emulator.ts';
import { createReader, openSiem } from './siem.ts';
import type { Story } from './story.ts';

const SECONDS = 120;
const ARTIFACTS = 'artifacts-of-the-organization';
const TEMPLATE = 'security-data-connector.template.json';

/** Options that are arguments of the command, because the resources of the template follow from them. */
const ENDPOINT = {
  destination: { type: 'splunk', url: 'https://splunk.acme.example:8088' },
  rateMinutes: 5,
  filters: { assets: "id != 'asset-1'" },
};

type Parameters = Readonly<Record<string, string>>;

export async function withoutCdk(account: Account, { step, note }: Story): Promise<void> {
  const { simulator, baseUrl, authUrl } = account.api;
  simulator.populate({ assets: 120, threats: 90, dnsBlocks: 60 });
  await using folder = await temporaryFolder('without-cdk-');
  const aws = awsCli(account);

  /** @returns the folder with the two files */
  const make = async (name: string, ...more: readonly string[]): Promise<string> => {
    const out = join(folder.path, name);
    const args = ['--no-warnings', 'packaging/template.ts', '--out', out, ...more];
    await command(process.execPath, args, SECONDS, { environment: account.environment });
    const { Parameters, Resources } = JSON.parse(readFileSync(join(out, TEMPLATE), 'utf8'));
    const count = (of: object) => Object.keys(of).length;
    note(`${count(Resources)} resources, ${count(Parameters)} parameters`);
    return out;
  };
  const deploy = async (name: string, made: string, parameters: Parameters): Promise<Deployment> => {
    await aws('cloudformation', 'deploy', ...deployment(name, made, parameters));
    return describe(name, name, account.environment);
  };
  const remove = async ({ stack }: Deployment): Promise<void> => {
    await aws('cloudformation', 'delete-stack', '--stack-name', stack);
    await aws('cloudformation', 'wait', 'stack-delete-complete', '--stack-name', stack);
  };
  const first = { BaseUrl: baseUrl, AuthUrl: authUrl, Enabled: 'false', ArtifactBucket: ARTIFACTS };

  const plain = await step('npm run template', () => make('plain'));
  await step('aws s3 mb, aws s3 cp', async () => {
    await aws('s3', 'mb', `s3://${ARTIFACTS}`);
    await aws('s3', 'cp', join(plain, 'function.zip'), `s3://${ARTIFACTS}/function-1.zip`);
  });
  const parameters = {
    ...first,
    ConnectorName: 'acme',
    DnsBlocksPath: '/v1/dns-blocks',
    ArtifactKey: 'function-1.zip',
  };
  const acme = await step('aws cloudformation deploy', () => deploy('acme', plain, parameters));
  const answer = await step('set-credentials, run', async () => {
    await setCredentials(acme, account);
    return acme.json(['run']);
  });
  const siem = openSiem(acme, await createReader(acme));
  await step('the SIEM reads the queue: its copy equals the truth', async () => {
    assert.equal((await siem.read()).length, forwarded(answer));
    assertTruth(siem, account);
    note(`${forwarded(answer)} events`);
  });
  await step('doctor and status find the connector by its exports', async () => {
    note(`doctor finds: ${await findings(acme)}`);
    note((await acme.ctl(['status'])).stdout.split('\n')[0]!);
  });
  await step('update of three parameters: the others stay, and a change is one event', async () => {
    const changed = { RequestsPerMinute: '600', AlarmEmail: 'on-call@acme.example', MemoryMegabytes: '1024' };
    await deploy('acme', plain, changed);
    simulator.put('assets', { id: liveAssets(account)[0]!, changed: 'after the update' });
    await runAndRead(acme, siem, 1);
    assertTruth(siem, account);
  });
  await step('update with a reader: its role can be assumed', async () => {
    const reader = { ReaderPrincipal: '111122223333', ReaderExternalId: 'from-the-form' };
    const { outputs } = await deploy('acme', plain, reader);
    const role = ['--role-arn', outputs['SiemReaderRoleArn']!, '--role-session-name', 'siem'];
    await aws('sts', 'assume-role', ...role, '--external-id', 'from-the-form');
  });
  await step('a second connector, with an endpoint, a rate and a filter from a file', async () => {
    const options = join(folder.path, 'options.json');
    writeFileSync(options, JSON.stringify(ENDPOINT));
    const endpoint = await make('endpoint', '--options', options);
    const named = { ...first, ConnectorName: 'other', ArtifactKey: 'function-1.zip' };
    const other = await deploy('other', endpoint, named);
    await setCredentials(other, account);
    const { streams } = await other.json(['run']);
    assert.deepEqual([streams.assets.filtered, streams['dns-blocks']], [1, undefined]);
    note(`doctor finds: ${await findings(other)}`);
    await remove(other);
  });
  await underBoundary(account, plain, { ...parameters, ConnectorName: 'bounded' }, { step, note });
  await step('aws cloudformation delete-stack: the events stay in the bucket', async () => {
    await remove(acme);
    assert.match(await aws('s3', 'ls', '--recursive', `s3://${acme.outputs['BucketName']}/events/`), /\.json\.gz/);
  });
}

/** The AWS CLI, for the root user unless other keys are given. */
function awsCli({ python, environment: own }: Account, keys: Parameters = {}) {
  // The CLI does not read AWS_REGION.
  const environment = { ...own, AWS_DEFAULT_REGION: own['AWS_REGION'], ...keys };
  return (...args: readonly string[]) => command(python, ['-m', 'awscli', ...args], SECONDS, { environment });
}

function deployment(name: string, made: string, parameters: Parameters): string[] {
  const overrides = Object.entries(parameters).map(([parameter, value]) => `${parameter}=${value}`);
  const file = ['--template-file', join(made, TEMPLATE)];
  const capabilities = ['--capabilities', 'CAPABILITY_NAMED_IAM'];
  return ['--stack-name', name, ...file, ...capabilities, '--parameter-overrides', ...overrides];
}

const PATH = '/security/';
const BOUNDARY = `arn:aws:iam::${ACCOUNT}:policy/landing-zone`;

/** May do everything, but create no role outside the path, and none without this boundary. */
const LANDING_ZONE = {
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Action: '*', Resource: '*' },
    { Effect: 'Deny', Action: 'iam:CreateRole', NotResource: `arn:aws:iam::${ACCOUNT}:role${PATH}*` },
    {
      Effect: 'Deny',
      Action: 'iam:CreateRole',
      Resource: '*',
      Condition: { StringNotEquals: { 'iam:PermissionsBoundary': BOUNDARY } },
    },
  ],
};

async function underBoundary(
  account: Account,
  made: string,
  parameters: Parameters,
  story: Pick<Story, 'step' | 'note'>,
) {
  const { step, note } = story;
  const root = awsCli(account);
  const user = await step('a user under a boundary that denies each role outside a path', async () => {
    const document = JSON.stringify(LANDING_ZONE);
    await root('iam', 'create-policy', '--policy-name', 'landing-zone', '--policy-document', document);
    const name = ['--user-name', 'deployer'];
    await root('iam', 'create-user', ...name, '--permissions-boundary', BOUNDARY);
    const administrator = 'arn:aws:iam::aws:policy/AdministratorAccess';
    await root('iam', 'attach-user-policy', ...name, '--policy-arn', administrator);
    const { AccessKey } = JSON.parse(await root('iam', 'create-access-key', ...name));
    return awsCli(account, {
      AWS_ACCESS_KEY_ID: AccessKey.AccessKeyId,
      AWS_SECRET_ACCESS_KEY: AccessKey.SecretAccessKey,
    });
  });
  await step('a role outside the path is refused, alone and in the stack', async () => {
    const trust = ['--assume-role-policy-document', JSON.stringify({ Version: '2012-10-17', Statement: [] })];
    await assert.rejects(user('iam', 'create-role', '--role-name', 'outside', ...trust), /AccessDenied/);
    const within = { ...parameters, PermissionsBoundaryArn: BOUNDARY };
    await assert.rejects(user('cloudformation', 'deploy', ...deployment('outside', made, within)));
    const { StackEvents } = JSON.parse(
      await user('cloudformation', 'describe-stack-events', '--stack-name', 'outside'),
    );
    assert.match(JSON.stringify(StackEvents), /not authorized to perform: iam:CreateRole/);
  });
  await step('with RolePath and PermissionsBoundaryArn the same user deploys it, and it runs', async () => {
    const within = { ...parameters, RolePath: PATH, PermissionsBoundaryArn: BOUNDARY };
    await user('cloudformation', 'deploy', ...deployment('bounded', made, within));
    const bounded = await describe('bounded', 'bounded', account.environment);
    await setCredentials(bounded, account);
    assert(forwarded(await bounded.json(['run'])) > 100);
    const { Roles } = JSON.parse(await root('iam', 'list-roles', '--path-prefix', PATH));
    note(`${Roles.length} roles below ${PATH}`);
  });
}

/** Names of the checks that found something. */
async function findings(deployed: Deployment): Promise<string> {
  const { checks } = await deployed.json(['doctor'], [0, 3]);
  const found = (checks as { name: string; status: string }[]).filter(({ status }) => /warn|fail/.test(status));
  return found.map(({ name }) => name).join(', ');
}
