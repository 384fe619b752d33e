/** What each command is called with, to record the calls to AWS that it makes. */
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { START } from '../../support/function/stepped-clock.ts';
import { raiseAlarm } from '../support/alarms.ts';
import { becomeAnotherClient } from '../support/another-client.ts';
import type { Deployment, DeploymentChoices } from '../support/deployment.ts';

/** The scenes of a command, in order against one deployment, which starts with a few rows at the API and nothing sent. */
export interface CommandScenes {
  /** Its name. */
  readonly command: string;
  /** Options of the deployment. */
  readonly choices?: DeploymentChoices;
  readonly scenes: readonly Scene[];
}

export interface Scene {
  /** Preparation. */
  readonly before?: (each: Deployment) => unknown;
  /** Arguments after `connectorctl`. */
  readonly args: readonly string[];
  /** Environment variables. */
  readonly environment?: (each: Deployment) => Readonly<Record<string, string>>;
}

/** One clock for the function and the endpoints, so that events are found. */
const choices = { aws: { now: () => START } };

const STUCK = 'dead-letter/acme/assets/no-id/1b7d3c9e4a5f60728394a5b6c7d8e9f0.json';
const ERROR = 'delivery-errors/splunk-failed/2026/11/20/12/acme-1-2026-11-20-12-00-00';

export const SCENES: readonly CommandScenes[] = [
  {
    command: 'status',
    scenes: [
      { before: each => each.run(), args: ['status'] },
      { before: each => raiseAlarm(each, 'acme/filter-errors'), args: ['status'] },
    ],
  },
  {
    command: 'doctor',
    scenes: [{ args: ['doctor'] }],
  },
  { command: 'pause', scenes: [{ args: ['pause', '--mute'] }] },
  { command: 'resume', scenes: [{ before: each => each.ctl(['pause', '--mute']), args: ['resume'] }] },
  { command: 'run', scenes: [{ args: ['run'] }] },
  {
    command: 'resync',
    scenes: [
      { before: each => each.run(), args: ['resync', 'assets', 'threats', '--yes'] },
      { args: ['resync', 'assets', 'dns-blocks', '--send-all', '--yes'] },
    ],
  },
  {
    command: 'confirm',
    scenes: [{ before: becomeAnother, args: ['confirm', 'organization', '--yes'] }],
  },
  {
    command: 'lookup',
    choices,
    scenes: [
      { before: send, args: ['lookup', 'assets', 'asset-7f3a', '--related'] },
      {
        async before(each) {
          each.connector.simulator.remove('assets', 'asset-7f3a');
          await each.run();
        },
        args: ['lookup', 'threats', 'threat-19'],
      },
    ],
  },
  {
    command: 'verify',
    scenes: [
      { before: each => each.run(), args: ['verify'] },
      {
        before: each => each.connector.simulator.put('assets', { id: 'asset-7f3a' }),
        args: ['verify', 'assets', '--wait', '0'],
      },
    ],
  },
  { command: 'test-event', scenes: [{ args: ['test-event'] }] },
  {
    command: 'dead-letters',
    scenes: [
      { before: createDeadLetters, args: ['dead-letters', 'list'] },
      { args: ['dead-letters', 'redrive', '--all', '--yes'] },
    ],
  },
  {
    command: 'set-credentials',
    scenes: [
      {
        args: ['set-credentials'],
        environment: ({ connector: { simulator } }) => ({
          CLIENT_ID: simulator.account.clientId,
          CLIENT_SECRET: simulator.account.clientSecret,
        }),
      },
    ],
  },
];

async function becomeAnother(each: Deployment): Promise<void> {
  await each.run();
  becomeAnotherClient(each);
  // The token of the client before expires.
  each.connector.clock.advance(300_000);
}

async function send(each: Deployment): Promise<void> {
  const { simulator } = each.connector;
  simulator.put('assets', { id: 'asset-7f3a', hostname: 'web-01', parent: 'shop' });
  simulator.put('threats', { id: 'threat-19', asset_id: 'asset-7f3a', title: 'Outdated TLS' });
  await each.run();
}

async function createDeadLetters(each: Deployment): Promise<void> {
  await each.run();
  const { clients, aws } = each.connector;
  const s3 = await clients.s3();
  const put = (Key: string, Body: string | Buffer) =>
    s3.send(new PutObjectCommand({ Bucket: aws.names.bucket, Key, Body }));
  await put(STUCK, '{"reason":"no-id","stream":"assets","connector":"acme","row":{"hostname":"web-01"}}\n');
  const [line = ''] = await each.connector.lines();
  const error = { errorCode: 'Splunk.AckTimeout', errorMessage: 'No acknowledgement in 300 s.', rawData: btoa(line) };
  await put(ERROR, `${JSON.stringify({ attemptsMade: 5, arrivalTimestamp: Date.now(), ...error })}\n`);
  each.account.queues.set(each.outputs['SiemDeadLetterQueueUrl']!, 1);
}
