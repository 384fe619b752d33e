/** `npm run integ -- --yes`: the connector and the embedded platform, deployed into an AWS account, tried, and destroyed. */
import { randomInt, randomUUID } from 'node:crypto';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { Command } from 'commander';
import { check } from '../support/promise.ts';
import { receive } from '../support/siem.ts';
import { deliveredLines, empty } from './bucket.ts';
import { deploy, destroy } from './cdk.ts';
import { editedPlatform, type Release } from './edited-platform.ts';
import { drain, environmentOf, invoke, update } from './functions.ts';
import { NAMES } from './names.ts';

const { yes, keep } = new Command('integ')
  .description(
    'Deploys the connector beside the embedded platform, drains it, kills a run, checks the bucket, destroys all.',
  )
  .option('--yes', 'do it: it creates resources in your account, and costs some cents', false)
  .option('--keep', 'destroy nothing, to look into it', false)
  .parse()
  .opts<{ yes: boolean; keep: boolean }>();

const SECONDS_TO_DELIVER = 300;
const first: Release = { seed: randomInt(2 ** 31), clientSecret: randomUUID(), release: 1, latencyMs: 400 };
const context: Record<string, string> = { release: JSON.stringify(first) };
const { Account } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
if (yes) await run();
else console.log(`This deploys ${Object.values(NAMES).join(' and ')} into account ${Account}. Say --yes to do it.`);

async function run(): Promise<void> {
  let bucket: string | undefined;
  try {
    const { Url, PlatformFunction } = await deploy(NAMES.platform, context);
    context['platformUrl'] = Url!;
    const { FunctionName, BucketName } = await deploy(NAMES.connector, context);
    bucket = BucketName;
    await setCredentials(FunctionName!);
    await killedRun(FunctionName!);
    await contention(FunctionName!);
    await drain(FunctionName!);
    await untilTrue(BucketName!, first);
    const second = { ...first, release: 2, latencyMs: 0 };
    await update(PlatformFunction!, { Environment: { Variables: { RELEASE: JSON.stringify(second) } } });
    await drain(FunctionName!);
    await untilTrue(BucketName!, second);
    console.log('All of it holds.');
  } finally {
    if (!keep) await destroyAll(bucket);
  }
}

async function setCredentials(name: string): Promise<void> {
  const { CREDENTIALS_SECRET_ID: SecretId } = await environmentOf(name);
  const { clientId: client_id } = editedPlatform(first).account;
  const SecretString = JSON.stringify({ client_id, client_secret: first.clientSecret });
  await new SecretsManagerClient({}).send(new PutSecretValueCommand({ SecretId, SecretString }));
}

/** A time-out below the time that a page takes: Lambda ends the run during its work. */
async function killedRun(name: string): Promise<void> {
  await update(name, { Timeout: 1 });
  const outcome = await invoke(name);
  console.log(`A run with one second ended so: ${JSON.stringify(outcome)}`);
  await update(name, { Timeout: 900 });
}

/** Two runs at one moment: one of them does nothing, or came after the other's end. */
async function contention(name: string): Promise<void> {
  const both = await Promise.all([invoke(name), invoke(name)]);
  console.log(`Two runs at one moment: ${both.filter(run => 'leaseHeld' in run).length} found the lease held.`);
  for (const run of both) if ('error' in run) throw new Error(`One of two runs failed: ${run.error}`);
}

/** Waits until what Firehose has delivered equals what the platform would answer. */
async function untilTrue(bucket: string, release: Release): Promise<void> {
  const truth = [...editedPlatform(release).truthText()].join('');
  const deadline = Date.now() + SECONDS_TO_DELIVER * 1000;
  for (;;) {
    const events = (await deliveredLines(bucket)).map(line => receive(line, 0));
    const { breaches, repeats, withdrawals } = check({ events, truth, completedEpochs: new Set() });
    if (breaches.length === 0) {
      console.log(
        `Release ${release.release}: ${events.length} events, ${repeats} repeats, ${withdrawals} withdrawals.`,
      );
      return;
    }
    if (Date.now() > deadline) throw new Error(`The copy is not the truth: ${breaches.slice(0, 5).join('; ')}`);
    await new Promise(resolve => setTimeout(resolve, 10_000));
  }
}

async function destroyAll(bucket: string | undefined): Promise<void> {
  if (bucket !== undefined) await empty(bucket);
  if (context['platformUrl'] !== undefined) await destroy(NAMES.connector, context);
  await destroy(NAMES.platform, context);
}
