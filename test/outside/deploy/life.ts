/** The life of one connector, from an empty account to an empty account, as README and runbook describe it. */
import { strict as assert } from 'node:assert';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { schemaViolations } from '../../support/function/event-schema.ts';
import { type Account, type Deployment, succeeded } from './account.ts';
import { alarmsIn, assertTruth, forwarded, lastLine, runAndRead, setCredentials } from './acts.ts';
import { createReader, openSiem, type Siem } from './siem.ts';
import type { Story } from './story.ts';

const COUNTS = { assets: 1_200, threats: 900, dnsBlocks: 600 };
const MAIL = { alarmEmail: 'on-call@acme.example' };

export async function life(account: Account, story: Story): Promise<void> {
  const { step, note } = story;
  const { simulator } = account.api;
  simulator.populate(COUNTS);
  await step('cdk bootstrap', () => account.bootstrap());
  const acme = await step('cdk deploy', () => account.deploy(MAIL));
  await step('pause, before the first tick', () => acme.json(['pause']));
  await step('run without credentials: it fails, and doctor says why', async () => {
    const { status, stderr } = await acme.ctl(['run']);
    assert.equal(status, 1);
    note(lastLine(stderr));
    assert.equal(found(await acme.json(['doctor'], [3]), 'secret').status, 'fail');
  });
  await step('set-credentials', () => setCredentials(acme, account));
  const first = await step('run: the first run', () => acme.json(['run']));
  const siem = openSiem(acme, await createReader(acme));
  await step('the SIEM reads the queue: its copy equals the truth', async () => {
    const lines = await siem.read();
    assert.equal(lines.length, forwarded(first));
    assert.deepEqual(schemaViolations(lines), []);
    note(`${lines.length.toLocaleString('en')} events`);
    assertTruth(siem, account);
  });
  await step('run: nothing changed, so nothing is sent', async () => {
    assert.equal(forwarded(await acme.json(['run'])), 0);
    assert.deepEqual(await siem.read(0), []);
  });
  await step('run: one asset, one threat and one DNS block changed', async () => {
    simulator.put('assets', '{"id":"asset-1","changed":9007199254740993.10}');
    simulator.put('threats', { id: 'threat-new', asset_id: 'asset-1' });
    simulator.put('dns-blocks', { id: 'dns-block-new' });
    await runAndRead(acme, siem, 3);
    assert(siem.lines.some(line => line.includes('"changed":9007199254740993.10')));
    assertTruth(siem, account);
  });
  await step('run: the asset is removed, and its threats are withdrawn', async () => {
    const threats = liveThreatsOf(account, 'asset-1');
    simulator.remove('assets', 'asset-1');
    const lines = await runAndRead(acme, siem, 1 + threats);
    assert.equal(lines.filter(line => line.includes('"kind":"withdrawn"')).length, threats);
    note(`1 tombstone, ${threats} withdrawals`);
    assertTruth(siem, account);
  });
  await step('run: the asset is restored with its threats', async () => {
    simulator.restore('assets', 'asset-1');
    await runAndRead(acme, siem, 1 + liveThreatsOf(account, 'asset-1'));
    assertTruth(siem, account);
  });
  await step('run: the client secret was rotated, and the alarm says so', async () => {
    simulator.account.rotateSecret();
    simulator.account.expireTokens();
    const { status, stderr } = await acme.ctl(['run']);
    assert.equal(status, 1);
    note(lastLine(stderr));
    assert((await alarmsIn('ALARM', acme)).includes('credentials-refused'));
  });
  await step('set-credentials: the next run has the new secret', async () => {
    await setCredentials(acme, account);
    assert.equal(forwarded(await acme.json(['run'])), 0);
  });
  await step('run: an oversize row becomes a dead letter, and an event points to it', async () => {
    simulator.put('assets', { id: 'large', text: 'x'.repeat(1_100_000) });
    const [line = ''] = await runAndRead(acme, siem, 1);
    assert.match(line, /"kind":"oversize"/);
    const { status, stdout } = await acme.ctl(['dead-letters', 'list']);
    assert.equal(status, 3);
    assert.match(stdout, /oversize/);
  });
  await step('run: the row became smaller, and is sent; its dead letter stays', async () => {
    simulator.put('assets', { id: 'large', text: 'short again' });
    await runAndRead(acme, siem, 1);
    assert.equal((await acme.ctl(['dead-letters', 'list'])).status, 3);
    assertTruth(siem, account);
  });
  if (!story.bounded) await notBounded(account, acme, siem, story);
  await step('cdk deploy: as docs/lifecycle.md prepares a removal with all data', () => account.deploy(LAST));
  await step('cdk destroy: the bucket holds objects, and after it is emptied the stack is gone', async () => {
    await empty(acme.outputs['BucketName']!);
    succeeded(await account.cdk(['destroy', acme.stack, '--force'], LAST));
    const describe = new CloudFormationClient().send(new DescribeStacksCommand({ StackName: acme.stack }));
    await assert.rejects(describe, /does not exist/);
  });
}

const LAST = { ...MAIL, removalPolicy: 'destroy', enabled: false };

/** Steps that take time, or show the operator's commands rather than the function. */
async function notBounded(account: Account, acme: Deployment, siem: Siem, { step, note }: Story): Promise<void> {
  const { simulator } = account.api;
  await step('run: a row that can never be an event becomes a dead letter, and the others are sent', async () => {
    simulator.put('assets', { id: 'x'.repeat(6_000) });
    simulator.put('assets', { id: 'after-the-poison-row' });
    await runAndRead(acme, siem, 1);
    const { stdout } = await acme.ctl(['dead-letters', 'list']);
    assert.match(stdout, /id-too-long/);
  });
  await step('resync: everything is read again, and nothing is sent', async () => {
    assert.equal(forwarded(await acme.json(['resync', 'assets', 'threats', '--yes'])), 0);
  });
  await step('replay: everything is sent again', async () => {
    const sent = forwarded(await acme.json(['resync', 'assets', 'threats', 'dns-blocks', '--send-all', '--yes']));
    assert.equal((await siem.read(0)).length, sent);
    note(`${sent.toLocaleString('en')} events`);
    const { breaches, repeats } = siem.compare(simulator.truthText());
    assert.deepEqual(
      breaches.filter(breach => !isPoison(breach)).filter(breach => !breach.startsWith('Sent again')),
      [],
    );
    assert(repeats > 0);
  });
  await step('verify: what was sent equals the API', async () => {
    note((await acme.ctl(['verify'])).stdout.split('\n')[0]!);
  });
  await step('lookup: one row, from the API to the SIEM', async () => {
    const { status, stdout } = await acme.ctl(['lookup', 'assets', 'asset-1']);
    assert.equal(status, 0, stdout);
  });
  await step('resume: a tick of the schedule starts a run by itself', async () => {
    await acme.json(['resume']);
    simulator.put('assets', { id: 'asset-2', changed: 'while nobody looked' });
    const begun = performance.now();
    let lines: readonly string[] = [];
    while (lines.length === 0 && performance.now() - begun < 180_000) lines = await siem.read(20);
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, /while nobody looked/);
  });
  await step('status and doctor', async () => {
    const status = await acme.ctl(['status']);
    note(status.stdout.split('\n')[0]!);
    const { checks } = await acme.json(['doctor'], [0, 3]);
    for (const { name, status: result, text } of checks) if (result !== 'ok') note(`${name}: ${result}: ${text}`);
  });
}

function isPoison(breach: string): boolean {
  return breach.includes('xxxxxxxx');
}

function liveThreatsOf({ api: { simulator } }: Account, asset: string): number {
  const { threats } = simulator.truth();
  return [...threats.values()].filter(row => JSON.parse(row).asset_id === asset).length;
}

function found({ checks }: { checks: readonly { name: string; status: string }[] }, name: string) {
  const check = checks.find(each => each.name === name);
  assert(check, `doctor has no check ${name}`);
  return check;
}

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
