/** Actions of the operator and the tenant in the stories. */
import { strict as assert } from 'node:assert';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { check } from '../../support/promise.ts';
import { type Account, type Deployment, succeeded } from './account.ts';
import type { Siem } from './siem.ts';

export async function setCredentials(acme: Deployment, { api: { simulator } }: Account): Promise<void> {
  const { clientId, clientSecret } = simulator.account;
  succeeded(await acme.ctl(['set-credentials'], { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }));
}

/**
 * Runs the function with its credentials and with pages smaller than the lists, so that there are
 * cursors.
 */
export async function runInSmallPages(acme: Deployment, account: Account): Promise<void> {
  await setVariables(acme, { PAGE_LIMIT: '20' });
  await setCredentials(acme, account);
  await acme.json(['run']);
}

/** The function's answer, as `connectorctl run --json` prints it. */
export interface Answer {
  readonly streams: Readonly<Record<string, { readonly forwarded: number; readonly rows: number }>>;
}

/** Events that a run sent, without those that point to a dead letter. */
export function forwarded({ streams }: Answer): number {
  return Object.values(streams).reduce((total, stream) => total + stream.forwarded, 0);
}

/** Runs the function, and asserts how many new events the SIEM reads. */
export async function runAndRead(acme: Deployment, siem: Siem, expected: number): Promise<string[]> {
  const answer: Answer = await acme.json(['run']);
  const lines = await siem.read();
  assert.equal(lines.length, expected, JSON.stringify(answer, undefined, 1));
  return lines;
}

/**
 * Asserts that the SIEM's copy equals what the API would answer.
 *
 * @returns the number of repeated events, which have the same event_id
 */
export function assertCopy({ lines }: Siem, { api: { simulator } }: Account): number {
  const { breaches, repeats } = check({ lines, truth: simulator.truth() });
  assert.deepEqual(breaches.slice(0, 5), []);
  return repeats;
}

/** Also asserts that no event came twice. */
export function assertTruth(siem: Siem, account: Account): void {
  assert.equal(assertCopy(siem, account), 0);
}

/** Names of the connector's alarms that fire, without the connector's own name. */
export async function firingAlarms({ name }: Deployment): Promise<string[]> {
  const ask = new DescribeAlarmsCommand({ AlarmNamePrefix: `${name}/`, StateValue: 'ALARM' });
  const { MetricAlarms = [] } = await new CloudWatchClient().send(ask);
  return MetricAlarms.map(({ AlarmName = '' }) => AlarmName.slice(name.length + 1));
}

/** Ids of the assets that are not removed, in the order of their stream. */
export function liveAssets({ api: { simulator } }: Account): string[] {
  return [...simulator.truth().assets].filter(([, row]) => !JSON.parse(row).deleted).map(([id]) => id);
}

/** Changes variables of the deployed function, as somebody does by hand. */
export async function setVariables(acme: Deployment, changed: Readonly<Record<string, string>>): Promise<void> {
  const lambda = new LambdaClient();
  const FunctionName = acme.outputs['FunctionName']!;
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const Variables = { ...Environment?.Variables, ...changed };
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
}
