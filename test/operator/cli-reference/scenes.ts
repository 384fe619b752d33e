/** What each command is called with, to record the calls to AWS that it makes. */
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { raiseAlarm } from '../support/alarms.ts';
import { becomeAnotherClient } from '../support/another-client.ts';
import type { Deployment } from '../support/deployment.ts';

export interface Scene {
  /** Preparation. */
  readonly before?: (each: Deployment) => unknown;
  /** Arguments after `connectorctl`. */
  readonly args: readonly string[];
  /** Environment variables. */
  readonly environment?: (each: Deployment) => Readonly<Record<string, string>>;
}

const STUCK = 'dead-letter/acme/assets/no-id/1b7d3c9e4a5f60728394a5b6c7d8e9f0.json';
const ERROR = 'delivery-errors/splunk-failed/2026/11/20/12/acme-1-2026-11-20-12-00-00';

const run = (each: Deployment) => each.run();

/**
 * The scenes of each command, in order against one deployment, which starts with a few rows at the
 * API and nothing sent.
 */
export const SCENES: readonly (readonly Scene[])[] = [
  [
    { before: run, args: ['status'] },
    { before: each => raiseAlarm(each, 'acme/filter-errors'), args: ['status'] },
  ],
  [{ args: ['doctor'] }],
  [{ args: ['pause', '--mute'] }],
  [{ before: each => each.ctl(['pause', '--mute']), args: ['resume'] }],
  [{ args: ['run'] }],
  [
    { before: run, args: ['resync', 'assets', 'threats', '--yes'] },
    { args: ['resync', 'assets', 'dns-blocks', '--send-all', '--yes'] },
  ],
  [{ before: becomeAnother, args: ['confirm', 'organization', '--yes'] }],
  [
    { before: send, args: ['lookup', 'assets', 'asset-7f3a', '--related'] },
    { before: removeAgain, args: ['lookup', 'threats', 'threat-19'] },
  ],
  [
    { before: run, args: ['verify'] },
    { before: send, args: ['verify', 'assets', '--wait', '0'] },
  ],
  [{ args: ['test-event'] }],
  [
    { before: createDeadLetters, args: ['dead-letters', 'list'] },
    { args: ['dead-letters', 'redrive', '--all', '--yes'] },
  ],
  [
    {
      args: ['set-credentials'],
      environment: ({ connector }) => {
        const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } = connector.simulator.account;
        return { CLIENT_ID, CLIENT_SECRET };
      },
    },
  ],
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

async function removeAgain(each: Deployment): Promise<void> {
  each.connector.simulator.remove('assets', 'asset-7f3a');
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
