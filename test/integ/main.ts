/** `npm run integ -- --yes`: deploys the connector and the embedded platform into an AWS account, checks them with `connectorctl`, and destroys both. */
import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { Command } from 'commander';
import { argumentsOrExit } from '../../local/npm-command.ts';
import { givenPlatform, type Tenant } from './given-platform.ts';
import { NAMES } from './names.ts';

const { flags } = argumentsOrExit<{ yes: boolean; keep: boolean }>(() =>
  new Command('npm run integ --')
    .description('Deploys the connector and the embedded platform, runs doctor, a run and verify, and destroys all.')
    .option('--yes', 'do it: it creates resources in your account, and costs some cents', false)
    .option('--keep', 'destroy nothing', false),
);
const { yes, keep } = flags;

const ROOT = join(import.meta.dirname, '..', '..');
const tenant: Tenant = { seed: randomInt(2 ** 31), clientSecret: randomUUID() };
const context: Record<string, string> = { tenant: JSON.stringify(tenant) };
const { Account } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
if (yes) await run();
else console.log(`This deploys ${Object.values(NAMES).join(' and ')} into account ${Account}. Say --yes to do it.`);

async function run(): Promise<void> {
  let bucket: string | undefined;
  try {
    context['platformUrl'] = (await deploy(NAMES.platform))['Url']!;
    bucket = (await deploy(NAMES.connector))['BucketName']!;
    const { clientId, clientSecret } = givenPlatform(tenant).account;
    await connectorctl(['set-credentials'], { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret });
    await connectorctl(['run', '--until-done']);
    await connectorctl(['test-event']);
    await connectorctl(['doctor']);
    await connectorctl(['verify']);
    console.log('All of it holds.');
  } finally {
    if (!keep) await destroyAll(bucket);
  }
}

async function destroyAll(bucket: string | undefined): Promise<void> {
  if (bucket !== undefined) await empty(bucket);
  if (context['platformUrl'] !== undefined) await cdk('destroy', NAMES.connector, '--force');
  await cdk('destroy', NAMES.platform, '--force');
}

/** @returns the outputs of the stack */
async function deploy(stack: string): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), 'integ-'));
  try {
    const file = join(folder, 'outputs.json');
    await cdk('deploy', stack, '--require-approval', 'never', '--outputs-file', file);
    return JSON.parse(await readFile(file, 'utf8'))[stack];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function cdk(verb: string, stack: string, ...more: string[]): Promise<void> {
  const options = Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  const app = ['--app', 'node test/integ/app.ts', '--output', 'cdk.out/integ', '--exclusively'];
  await succeeds(join(ROOT, 'node_modules', '.bin', 'cdk'), [verb, stack, ...app, ...options, ...more]);
}

async function connectorctl(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  await succeeds(process.execPath, ['bin/connectorctl.mjs', ...args, '--stack', NAMES.connector], environment);
}

async function succeeds(file: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(file, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...environment } });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${file} ${args.slice(0, 2).join(' ')} ended with ${code}`);
}

/** Deletes every version of every object: a bucket that holds one is not deleted. */
async function empty(Bucket: string): Promise<void> {
  const s3 = new S3Client({});
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) return;
    const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    if (Errors.length > 0) throw new Error(`${Errors.length} objects of ${Bucket} could not be deleted`);
  }
}
