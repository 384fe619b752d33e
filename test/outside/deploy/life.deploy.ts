/**
 * The life of one connector, from its deployment to its removal, as README and runbook describe it.
 */

import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaViolations } from '../../support/function/event-schema.ts';
import { type Account, type Deployment, openAccount, succeeded } from './account.ts';
import { assertTruth, forwarded, runAndRead, setCredentials } from './acts.ts';
import { openSiem, type Siem } from './siem.ts';

const OPTIONS = { name: 'life', alarmEmail: 'on-call@acme.example', enabled: false };

let account: Account;
let life: Deployment;
let siem: Siem;
beforeAll(async () => {
  account = await openAccount();
  account.api.simulator.populate({ assets: 1_200, threats: 900, dnsBlocks: 600 });
  life = await account.deploy(OPTIONS);
  siem = await openSiem(life);
});
afterAll(async () => account[Symbol.asyncDispose]());

test('a run without credentials fails, and doctor finds that the secret is empty', async () => {
  expect((await life.ctl(['run'])).status).toBe(1);
  const { checks } = await life.json(['doctor'], [3]);
  expect(checks).toContainEqual(expect.objectContaining({ name: 'secret', status: 'fail' }));
});

test('the first run with credentials sends every row, and the copy of the SIEM equals the truth', async () => {
  await setCredentials(life, account);
  const answer = await life.json(['run']);
  const lines = await siem.read();
  expect(lines.length).toBe(forwarded(answer));
  expect(schemaViolations(lines)).toEqual([]);
  assertTruth(siem, account);
});

test('a run after which nothing changed sends nothing', async () => {
  expect(forwarded(await life.json(['run']))).toBe(0);
  expect(await siem.read(0)).toEqual([]);
});

test('a run sends one event for each changed row, to the last digit', async () => {
  const { simulator } = account.api;
  simulator.put('assets', '{"id":"asset-1","changed":9007199254740993.10}');
  simulator.put('threats', { id: 'threat-new', asset_id: 'asset-1' });
  simulator.put('dns-blocks', { id: 'dns-block-new' });
  const lines = await runAndRead(life, siem, 3);
  expect(lines.join()).toContain('"changed":9007199254740993.10');
  assertTruth(siem, account);
});

test('a run after an asset was removed withdraws its threats', async () => {
  const { simulator } = account.api;
  const threats = [...simulator.truth().threats.values()].filter(row => JSON.parse(row).asset_id === 'asset-1');
  simulator.remove('assets', 'asset-1');
  const lines = await runAndRead(life, siem, 1 + threats.length);
  expect(lines.filter(line => line.includes('"kind":"withdrawn"')).length).toBe(threats.length);
  assertTruth(siem, account);
});

test('an oversize row becomes a dead letter, and an event points to it', async () => {
  account.api.simulator.put('assets', { id: 'large', text: 'x'.repeat(1_100_000) });
  const [line] = await runAndRead(life, siem, 1);
  expect(line).toContain('"kind":"oversize"');
  const { status, stdout } = await life.ctl(['dead-letters', 'list']);
  expect(status).toBe(3);
  expect(stdout).toContain('oversize');
});

// It takes up to two minutes.
if (!process.env['BOUNDED']) {
  test('a tick of the schedule starts a run by itself', async () => {
    await life.json(['resume']);
    account.api.simulator.put('assets', { id: 'asset-2', changed: 'while nobody looked' });
    const deadline = Date.now() + 180_000;
    let lines: readonly string[] = [];
    while (lines.length === 0 && Date.now() < deadline) lines = await siem.read(20);
    expect(lines).toEqual([expect.stringContaining('while nobody looked')]);
  });
}

test('a stack that is prepared as docs/lifecycle.md says is deleted with all data', async () => {
  const last = { ...OPTIONS, removalPolicy: 'destroy' };
  await account.deploy(last);
  await empty(life.outputs['BucketName']!);
  succeeded(await account.cdk(['destroy', life.stack, '--force'], last));
  const described = new CloudFormationClient().send(new DescribeStacksCommand({ StackName: life.stack }));
  await expect(described).rejects.toThrow(/does not exist/);
});

/** The console's *Empty*: every version of every object. */
async function empty(Bucket: string): Promise<void> {
  const s3 = new S3Client({ forcePathStyle: true });
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) return;
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  }
}
