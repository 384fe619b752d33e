/** `verify`, as an operator types it. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from '@jest/globals';
import { repairCommands } from '../../../bin/ctl/commands/verify/repair.ts';
import type { Clock } from '../../../lambda/ports.ts';
import { createCheckpoints } from '../../../lambda/store/checkpoints.ts';
import { leaseKey } from '../../../lambda/store/item.ts';
import { createRowStates } from '../../../lambda/store/rows.ts';
import { sha256, systemClock } from '../../../lambda/system.ts';
import { THROTTLED } from '../../../local/aws/faults.ts';
import { rowState } from '../../lambda/core/support/memory-table.ts';
import { pass } from '../../lambda/support/aws-scene.ts';
import { silence } from '../../lambda/support/http-harness.ts';
import { type Deployment, deployment } from '../support/deployment.ts';

async function populated(): Promise<Deployment> {
  const each = await deployment();
  each.connector.platform.populate({ assets: 12, threats: 20, dnsBlocks: 7 });
  await each.run();
  return each;
}

/** Kinds by id. */
const kindsOf = (differences: readonly { id: string; kind: string }[]) =>
  Object.fromEntries(differences.map(({ id, kind }) => [id, kind]));

/** As if the last run had been killed with these ids of threats unconfirmed. */
async function leaveUnconfirmed({ connector: { table } }: Deployment, ...idTags: string[]): Promise<void> {
  const { epoch = { N: '1' } } = (await table.get([leaseKey]))[0]!;
  const batches = idTags.length > 0 ? [{ first: '', sequence: '', idTags, goneTags: [] }] : [];
  await createCheckpoints(table).saveIntents('threats', batches, Number(epoch.N));
}

test('verify reports a connector that has sent everything as complete with exit status 0, and writes nothing', async () => {
  await using each = await populated();
  each.connector.forget();
  const { status, stdout, stderr } = await each.ctl(['verify']);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^Complete: 32 ids equal\./)]);
  expect(stderr).toContain('Reading the whole table');
  expect(stderr).toContain('Nothing is sent or saved');
  const actions = new Set(each.connector.calls.map(call => call.action));
  for (const action of ['PutRecordBatch', 'PutItem', 'UpdateItem', 'BatchWriteItem', 'PutObject', 'Invoke']) {
    expect(actions).not.toContain(action);
  }
});

test('verify counts only ids of the list as equal, and its first line has the sums of the columns', async () => {
  await using each = await populated();
  const { platform } = each.connector;
  const [removed, changed] = platform.tenantData.streams.assets.ids as [string, string];
  // Its threats are withdrawn, and no list has them any more.
  platform.put('threats', { id: 'of-removed', asset_id: removed });
  await each.run();
  platform.remove('assets', removed);
  await each.run();
  platform.put('assets', { id: changed, name: 'other' });
  const { document } = await each.json(['verify', '--wait', '0']);
  const { assets, threats } = document.streams;
  expect(assets).toMatchObject({ rowsListed: 12, idsEqual: 11, differed: 1 });
  expect(threats.idsEqual).toBe(threats.rowsListed);
  expect(threats.rowsListed).toBeLessThan(21);
  const { stdout } = await each.ctl(['verify', '--wait', '0']);
  expect(stdout).toContain(`Differs: 1 id; ${11 + threats.idsEqual} ids equal.`);
  expect(stdout).toContain('ids equal:   ids of the list whose last row is the last one that the SIEM was sent');
});

test('verify retries a throttled table, reports a list without an end, and proves nothing for DNS blocks', async () => {
  await using each = await deployment({ endOfStream: 'repeat-cursor' });
  each.connector.platform.populate({ assets: 3, threats: 0, dnsBlocks: 1 });
  await each.run();
  let scans = 0;
  each.connector.aws.faults.always('dynamodb', ({ action }) => {
    return action === 'Scan' && scans++ === 0 ? THROTTLED.dynamodb : {};
  });
  const { status, stdout } = await each.ctl(['verify', 'assets']);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^Complete: 3 ids equal\.\n/)]);
  expect(stdout).toContain('assets: the API repeated a cursor instead of ending the list');
  const blocks = await each.json(['verify', 'dns-blocks']);
  expect([blocks.status, blocks.document.complete]).toEqual([0, null]);
});

test('verify finds every kind of difference, and confirms none without a wait', async () => {
  await using each = await populated();
  const { platform, table } = each.connector;
  const [changed, lost] = platform.tenantData.streams.assets.ids as [string, string];
  platform.put('assets', { id: changed, name: 'canary' });
  platform.put('assets', { id: 'new' });
  const states = createRowStates(table, sha256);
  await states.put('assets', new Map([['ghost', rowState({ rowHash: 'a'.repeat(32) })]]), pass);
  await states.put('assets', new Map([[lost, rowState({ rowHash: '', status: 'removed' })]]), pass);
  await states.put('threats', new Map([['of-nobody', rowState({ rowHash: 'a'.repeat(32), parent: 'gone' })]]), pass);
  const { status, document } = await each.json(['verify', '--wait', '0']);
  const { complete, streams } = document;
  expect([status, complete, streams.assets.confirmed]).toEqual([3, false, false]);
  expect(kindsOf(streams.assets.differences)).toEqual({
    [changed]: 'sent with other content',
    new: 'never sent to the SIEM',
    ghost: 'live at the SIEM, but removed from the API',
    [lost]: 'sent as removed, but live at the API',
  });
  expect(kindsOf(streams.threats.differences)).toEqual({ 'of-nobody': 'live at the SIEM, but removed from the API' });
  expect(JSON.stringify(document)).not.toContain('canary');
  const text = await each.ctl(['verify', 'assets', '--wait', '0', '--limit', '0']);
  expect(text.stdout).toMatch(/^Differs: 4 ids; 10 ids equal\. Not confirmed/);
  expect(text.stdout).toContain('and 1 more: --limit, or --json for all');
});

test('verify is not complete with dead letters or unconfirmed ids, and only counts DNS blocks', async () => {
  await using each = await populated();
  const { clients, aws } = each.connector;
  const Key = 'dead-letter/acme/assets/no-id/0a.json';
  await (await clients.s3()).send(new PutObjectCommand({ Bucket: aws.names.bucket, Key, Body: '{}' }));
  await leaveUnconfirmed(each, '0'.repeat(14), '1'.repeat(14));
  const { status, document } = await each.json(['verify', 'dns-blocks', 'threats', 'assets', '--wait', '0']);
  const { complete, streams } = document;
  expect([status, complete]).toEqual([3, false]);
  expect(streams['dns-blocks']).toMatchObject({
    rowsListed: 7,
    idsEqual: null,
    deadLetters: { count: 0, more: false },
  });
  expect([streams.assets.deadLetters.count, streams.threats.unconfirmedIds]).toEqual([1, 2]);
  expect([streams.assets.differences, streams.threats.differences]).toEqual([[], []]);
  const text = await each.ctl(['verify', '--wait', '0']);
  expect(text.stdout).toMatch(/^Not complete: 32 ids equal\. Dead letters or unconfirmed ids remain\.\n/);
});

test('verify exits with 130 at Ctrl-C during the walk and changes nothing', async () => {
  await using each = await populated();
  const { api } = each.connector;
  api.tamper(({ target }) => (target.startsWith('/v1/assets?') ? silence : undefined));
  const asked = api.arrived(api.seen.length + 1);
  const { interrupt, ended } = each.start(['verify', 'assets']);
  await asked;
  interrupt();
  const { status, stdout, stderr } = await ended;
  expect([status, stdout, stderr]).toEqual([130, '', expect.stringContaining('Interrupted. Nothing was changed.')]);
});

describe('verify with a wait', () => {
  /** Skips the pauses between two reads of the lease. Time-outs of requests are longer and stay. */
  const sleep: Clock['sleep'] = (milliseconds, signal) =>
    milliseconds <= 1_000 ? nextTurn(undefined, { signal }) : systemClock.sleep(milliseconds, signal);

  async function waiting(each: Deployment, ...args: string[]) {
    const started = each.start(['verify', ...args], {}, { ...systemClock, sleep });
    await new Promise<void>(resolve => {
      started.stderr.on('data', chunk => String(chunk).includes('for the next run to end') && resolve());
    });
    return started;
  }

  test('confirms only the differences that the next run does not resolve', async () => {
    await using each = await populated();
    const { platform, table } = each.connector;
    platform.put('assets', { id: 'new' });
    await createRowStates(table, sha256).put(
      'assets',
      new Map([['ghost', rowState({ rowHash: 'a'.repeat(32) })]]),
      pass,
    );
    const { ended } = await waiting(each, 'assets');
    await each.run();
    const { status, stdout } = await ended;
    expect([status, stdout]).toEqual([3, expect.stringMatching(/^Differs: 1 id; 12 ids equal, 1 resolved since\.$/m)]);
    expect(stdout).toContain('assets: 1 live at the SIEM, but removed from the API\n    "ghost"');
  });

  test('counts no unconfirmed ids of a run that has ended meanwhile', async () => {
    await using each = await populated();
    await leaveUnconfirmed(each, '0'.repeat(14));
    const { ended } = await waiting(each, 'threats');
    await leaveUnconfirmed(each);
    await each.run();
    const { status, stdout } = await ended;
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Complete: 20 ids equal\.\n/)]);
  });

  test('is not complete while ids stay unconfirmed after the next run', async () => {
    await using each = await populated();
    await leaveUnconfirmed(each, '0'.repeat(14));
    const { ended } = await waiting(each, 'threats');
    await each.run();
    const { status, stdout } = await ended;
    expect([status, stdout]).toEqual([
      3,
      expect.stringMatching(/^Not complete: 20 ids equal\. Dead letters or unconfirmed ids remain\.\n/),
    ]);
  });

  test('does not wait while the schedule is off', async () => {
    await using each = await populated();
    each.connector.platform.put('assets', { id: 'new' });
    await each.ctl(['pause']);
    const { status, stdout, stderr } = await each.ctl(['verify', 'assets', '--wait', '99999']);
    expect([status, stdout]).toEqual([
      3,
      expect.stringMatching(/^Differs: 1 id; .* Not confirmed: the schedule is off/),
    ]);
    expect(stderr).toMatch(/^The schedule is off, so no run will send what is missing.*Reading assets/s);
    expect(stdout).toContain('Start a run with "npm run connectorctl -- run", then verify again');
    await each.run();
    const again = await each.json(['verify', 'assets']);
    expect([again.status, again.document]).toMatchObject([0, { complete: true, paused: false }]);
  });

  test('exits with 130 at Ctrl-C while waiting', async () => {
    await using each = await populated();
    each.connector.platform.put('assets', { id: 'new' });
    const { interrupt, ended } = await waiting(each, 'assets');
    each.connector.forget();
    interrupt();
    const { status, stderr, stdout } = await ended;
    expect([status, stdout]).toEqual([130, '']);
    expect(stderr).toContain('Interrupted. Nothing was changed.');
  });
});

describe('verify --repair', () => {
  interface Row {
    readonly id: string;
    readonly outcome: string;
    readonly reason?: string;
  }

  /** A stack whose function answers a repair with these outcomes, and whose table has these rows in addition to those of the API. */
  async function differing(ids: readonly string[], answer: (id: string) => Partial<Row>, changes: object = {}) {
    const each = await deployment(
      {},
      {
        invoke: payload => ({
          streams: {},
          more: false,
          repaired: Object.entries((payload as { repair: Record<string, string[]> }).repair).flatMap(([stream, all]) =>
            all.map(id => ({ stream, id, outcome: 'withdrawn', ...answer(id) })),
          ),
        }),
        ...changes,
      },
    );
    each.connector.platform.populate({ assets: 3, threats: 0, dnsBlocks: 0 });
    await each.run();
    const rows = ids.map(id => [id, rowState({ rowHash: 'a'.repeat(32) })] as const);
    for (const [id, state] of rows)
      await createRowStates(each.connector.table, sha256).put('assets', new Map([[id, state]]), pass);
    return each;
  }
  const ARGS = ['verify', '--repair', '--wait', '0'];

  test('gives what differs to the function, prints what was done row by row, and exits with 0', async () => {
    await using each = await differing(['ghost', 'restored'], id => (id === 'restored' ? { outcome: 'sent' } : {}));
    each.connector.platform.put('threats', { id: 'new', asset_id: 'asset-1' });
    const { status, stdout } = await each.ctl(ARGS);
    expect(each.stack.invocations).toEqual([{ repair: { assets: ['restored', 'ghost'], threats: ['new'] } }]);
    expect(stdout).toMatch(/^Differs: 3 ids; 3 ids equal\./);
    expect(stdout).toMatch(
      /\nassets {2}"restored" {2}sent\nassets {2}"ghost" {2}withdrawn\nthreats {2}"new" {2}withdrawn\n\nRepaired: 2 withdrawn, 1 sent, 0 unchanged, 0 kept\.\n$/,
    );
    expect(status).toBe(0);
  });

  test('exits with 3 and gives the reason when the function keeps a row, or does not report it', async () => {
    const kept = (id: string) => ({
      outcome: 'kept',
      reason: 'the API answered 500',
      ...(id === 'lost' && { id: 'another' }),
    });
    await using each = await differing(['ghost', 'lost'], kept);
    const { status, document } = await each.json(ARGS);
    expect([status, document.repaired]).toEqual([
      3,
      [
        { stream: 'assets', id: 'lost', outcome: 'kept', reason: expect.stringContaining('has not reported it') },
        { stream: 'assets', id: 'ghost', outcome: 'kept', reason: 'the API answered 500' },
      ],
    ]);
  });

  test('by the deployed function withdraws what is gone, sends what differs, and leaves a copy that verify finds complete', async () => {
    await using each = await populated();
    const states = createRowStates(each.connector.table, sha256);
    const [changed = ''] = each.connector.platform.tenantData.streams.assets.ids;
    await states.put(
      'assets',
      new Map(['ghost', changed].map(id => [id, rowState({ rowHash: 'a'.repeat(32) })])),
      pass,
    );
    await states.put('threats', new Map([['lost', rowState({ rowHash: 'a'.repeat(32), parent: 'ghost' })]]), pass);
    const before = new Set(await each.connector.lines());
    const { status, document } = await each.json(ARGS);
    const outcomes = document.repaired.map(
      ({ stream, id, outcome }: Row & { stream: string }) => `${stream} ${id} ${outcome}`,
    );
    expect([status, outcomes.toSorted()]).toEqual([
      0,
      [`assets ${changed} sent`, 'assets ghost withdrawn', 'threats lost withdrawn'].toSorted(),
    ]);
    const sent = (await each.connector.lines()).filter(line => !before.has(line)).map(line => JSON.parse(line));
    expect(sent.map(({ id, kind }) => `${id} ${kind}`).toSorted()).toEqual(
      [`${changed} upsert`, 'ghost withdrawn', 'lost withdrawn'].toSorted(),
    );
    expect(await each.ctl(['verify', '--wait', '0'])).toMatchObject({ status: 0 });
  });

  test('invokes nothing when nothing differs', async () => {
    await using each = await differing([], () => ({}));
    const { status, stdout } = await each.ctl(ARGS);
    expect([status, stdout.split('\n')[0], each.stack.invocations]).toEqual([0, 'Complete: 3 ids equal.', []]);
  });

  test('that is interrupted before the function has answered claims no repaired row', async () => {
    const invoked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<object>();
    const invoke = () => {
      invoked.resolve();
      return answered.promise;
    };
    await using each = await differing(['ghost'], () => ({}), { invoke });
    const { interrupt, ended } = each.start(ARGS);
    await invoked.promise;
    interrupt();
    const { status, stderr } = await ended;
    answered.resolve({ streams: {}, more: false });
    expect([status, stderr]).toEqual([130, expect.stringContaining('A run that has started continues in AWS')]);
    expect(stderr).not.toContain('rows above');
  });

  test('sends at most 500 ids in one command, assets before threats', () => {
    const assets = Array.from({ length: 501 }, (_, at) => ({ stream: 'assets' as const, id: `a-${at}` }));
    const commands = repairCommands([...assets, { stream: 'threats', id: 't' }]);
    expect(commands.map(each => [each.assets?.length, each.threats])).toEqual([
      [500, undefined],
      [1, ['t']],
    ]);
  });
});
