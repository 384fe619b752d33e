/** Checks of cdk.json, the AWS account and the clock. They need no stack. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { ConfigurationError } from '../../../../lib/config/fault.ts';
import { connectorsIn } from '../../../../lib/config/read-connectors.ts';
import type { ConnectorConfig } from '../../../../lib/config/schema.ts';
import { CONNECTORCTL, PREBUILT_FUNCTION } from '../../../../lib/installation.ts';
import { readStack } from '../../deployment.ts';
import { awsCall } from '../../errors.ts';
import { check, type Finding, fail, ok, skipped, warn } from './context.ts';

const CONFIGURATION_REMEDY = 'README.md has the table of options. Fix it before you deploy.';
const GO = `Run this in the checkout of the connector: cd security-data-connector && ${CONNECTORCTL.command} doctor --preflight`;

/** The context of the nearest cdk.json, as the CDK reads it. */
export const configuration = check('configuration', [], async ({ shell: { folder } }) => {
  if (PREBUILT_FUNCTION) return skipped('your app has its connectors in its code, which is checked at synth');
  const file = findCdkJson(folder);
  if (!file) return fail(`there is no cdk.json in ${folder} or a folder above it`, GO);
  try {
    return connectorsFinding(await readContext(folder), file);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return fail(`${file}: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}`, CONFIGURATION_REMEDY);
    }
    return fail(`${file} cannot be read: ${error instanceof Error ? error.message : error}`, CONFIGURATION_REMEDY);
  }
});

function connectorsFinding(connectors: readonly ConnectorConfig[], file: string): Finding {
  // The CDK reads only the current folder.
  const elsewhere = file === 'cdk.json' ? '' : `, in ${file}: deploy from that folder`;
  const names = (some: readonly ConnectorConfig[]) => some.map(({ name }) => name).join(', ');
  const examples = connectors.filter(({ baseUrl }) => new URL(baseUrl).hostname.endsWith('.example'));
  if (examples.length > 0) {
    const remedy = `Replace the entry in the context "connectors" of ${file} with your own.`;
    return warn(`${names(examples)} is still the example`, remedy);
  }
  const count = connectors.length === 1 ? 'a connector' : `${connectors.length} connectors`;
  return ok(`${count}: ${names(connectors)}${elsewhere}`);
}

/** @throws ConfigurationError; as reading or parsing the file does */
export async function readContext(folder: string): Promise<readonly ConnectorConfig[]> {
  const file = path.resolve(folder, findCdkJson(folder) ?? 'cdk.json');
  const { context = {} } = JSON.parse(await readFile(file, 'utf8'));
  return connectorsIn(context, path.dirname(file));
}

/** Every AWS identity may make this call. */
export const awsAccount = check('aws-account', [], async ({ aws, clock, skews }) => {
  const client = aws.sts();
  const command = new GetCallerIdentityCommand({});
  recordTime(command, date => skews.push(date - clock.now()));
  const { Account, Arn } = await awsCall(client.send(command), 'The AWS account could not be read', '');
  return ok(`account ${Account}, region ${await client.config.region()}, as ${Arn}`);
});

/** Records AWS's clock, because AWS rejects requests that are five minutes off. */
function recordTime({ middlewareStack }: GetCallerIdentityCommand, note: (date: number) => void): void {
  middlewareStack.add(
    next => async request => {
      const answer = await next(request);
      const { headers } = answer.response as { readonly headers?: Readonly<Record<string, string>> };
      const date = Date.parse(headers?.['date'] ?? '');
      if (Number.isFinite(date)) note(date);
      return answer;
    },
    { step: 'deserialize', name: 'recordTime', priority: 'low' },
  );
}

const STACK = 'CDKToolkit';

/** The CDK needs it in an account and region before the first deployment. */
export const bootstrap = check('bootstrap', ['aws-account'], async ({ aws }) => {
  const stack = await readStack(aws.cloudFormation(), STACK);
  if (!stack) return fail('this account and region are not bootstrapped for the CDK', BOOTSTRAP_REMEDY);
  const version = stack.Outputs?.find(each => each.OutputKey === 'BootstrapVersion')?.OutputValue;
  if (/FAILED|ROLLBACK/.test(stack.StackStatus ?? ''))
    return fail(`${STACK} is ${stack.StackStatus}`, BOOTSTRAP_REMEDY);
  return ok(`${STACK} exists${version ? `, bootstrap version ${version}` : ''}`);
});

const BOOTSTRAP_REMEDY =
  'Run "npx cdk bootstrap" once per account and region. This check does not find a bootstrap stack with another name.';

/** AWS rejects signatures that are further off. */
const REFUSED_MILLISECONDS = 5 * 60_000;
const WARNING_MILLISECONDS = 30_000;
const CLOCK_REMEDY =
  'Set the clock of this machine (NTP). If it is right, the clock of the API is wrong: contact its operator.';

/** Runs last, after all answers with a time. */
export const clock = check('clock', [], async ({ skews }) => clockFinding(skews));

/** @param skews milliseconds that other clocks are ahead of this machine */
export function clockFinding(skews: readonly number[]): Finding {
  if (skews.length === 0) return { status: 'skipped', text: 'no answer contained a time' };
  const worst = Math.max(...skews.map(Math.abs));
  if (worst < WARNING_MILLISECONDS) return ok('this machine, AWS and the API agree on the time');
  const text = `the clock of this machine differs by up to ${Math.round(worst / 1000)} s from AWS or the API`;
  return worst < REFUSED_MILLISECONDS ? warn(text, CLOCK_REMEDY) : fail(text, CLOCK_REMEDY);
}

/** The nearest `cdk.json` in this folder or above it, relative to the folder. */
function findCdkJson(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    const file = path.join(at, 'cdk.json');
    if (existsSync(file)) return path.relative(folder, file);
    if (path.dirname(at) === at) return undefined;
  }
}
