/** `verify`, as an operator types it. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Clock } from '../../../lambda/ports.ts';
import { createRowStateStore } from '../../../lambda/store/rows.ts';
import { sha256, systemClock } from '../../../lambda/system.ts';
import { rowState } from '../../support/core/memory-table.ts';
import { pass } from '../../support/function/aws-scene.ts';
import { silence } from '../../support/function/http-harness.ts';
import { type Deployment, populated } from '../support/deployment.ts';
import { DENIED } from '../support/refusals.ts';

/** A connector whose rows have been sent. */
async function sent(): Promise<Deployment> {
  const each = await populated({ assets: 12, threats: 20, dnsBlocks: 7 });
  await each.run();
  return each;
}

const FOREIGN_HASH = 'a'.repeat(32);

/** Puts a row state as if the SIEM had been sent another row of this id. */
async function putState(each: Deployment, stream: 'assets' | 'threats', id: string, change: object = {}) {
  const states = createRowStateStore(each.connector.table, sha256);
  await states.put(stream, new Map([[id, rowState({ rowHash: FOREIGN_HASH, ...change })]]), pass);
}

/** A run that Firehose stops within a batch of threats. The next one finishes it. */
async function leaveBatchOpen(each: Deployment): Promise<void> {
  each.connector.simulator.put('threats', { id: 'late', asset_id: 'asset-0' });
  each.connector.aws.faults.always('firehose', DENIED);
  await each.run();
  each.connector.aws.faults.clear('firehose');
}

test('verify reports a complete connector as complete and writes nothing', async () => {
  await using each = await sent();
  each.connector.forget();
  const { status, stdout, stderr } = await each.ctl(['verify']);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Complete: 32 ids equal\./);
  expect(stdout).not.toContain('heals');
  expect(stderr).toContain('Reading the whole table');
  expect(stderr).toContain('Nothing is sent or saved');
  const actions = new Set(each.connector.calls.map(call => call.action));
  for (const action of ['PutRecordBatch', 'PutItem', 'UpdateItem', 'BatchWriteItem', 'PutObject', 'Invoke']) {
    expect(actions).not.toContain(action);
  }
});

test('verify finds every kind of difference, names a remedy for each kind, and shows no row', async () => {
  await using each = await sent();
  await each.run({ replay: ['assets'] });
  await leaveBatchOpen(each);
  const { simulator } = each.connector;
  const [changed, lost, before] = simulator.tenantData.streams.assets.ids as [string, string, string];
  simulator.put('assets', { id: changed, name: 'canary' });
  simulator.put('assets', { id: 'new' });
  await putState(each, 'assets', 'ghost');
  await putState(each, 'assets', lost, { rowHash: '', status: 'removed', generation: Number.MAX_SAFE_INTEGER });
  await putState(each, 'assets', before, { generation: -1 });
  await putState(each, 'threats', 'of-nobody', { parent: 'gone' });

  const { status, document } = await each.json(['verify', '--wait', '0']);
  const { complete, streams } = document;
  expect({ status, complete }).toEqual({ status: 3, complete: false });
  const counts = { rowsListed: 13, idsEqual: 9, differed: 5 };
  expect(streams).toMatchObject({
    assets: { confirmed: false, batchOpen: false, ...counts },
    threats: { batchOpen: true },
  });
  const [resync, sendAll] = ['resync', 'resync --send-all'];
  const differences = [...streams.assets.differences, ...streams.threats.differences];
  expect(Object.fromEntries(differences.map(({ id, kind, healedBy }) => [id, [kind, healedBy]]))).toEqual({
    [changed]: ['sent with other content', resync],
    new: ['never sent to the SIEM', resync],
    ghost: ['live at the SIEM, but removed from the API', resync],
    [lost]: ['sent as removed, but live at the API', resync],
    [before]: ['not sent again since the last replay', sendAll],
    'of-nobody': ['live at the SIEM, but removed from the API', resync],
    late: ['never sent to the SIEM', resync],
  });
  expect(JSON.stringify(document)).not.toContain('canary');

  const { stdout } = await each.ctl(['verify', '--wait', '0', '--limit', '0']);
  expect(stdout).toMatch(/^Differs: 7 ids; 29 ids equal\. Not confirmed/);
  expect(stdout).toContain('and 1 more: --limit, or --json for all');
  const command = 'npm run connectorctl -- resync';
  expect(stdout).toContain(`heals them:\n${command} assets threats\n${command} assets --send-all\n`);
});

test('verify reports a list that ends with a repeated cursor', async () => {
  await using each = await populated({ assets: 3, threats: 0, dnsBlocks: 1 }, { endOfStream: 'repeat-cursor' });
  await each.run();
  const { stdout } = await each.ctl(['verify', 'assets']);
  expect(stdout).toMatch(/^Complete: 3 ids equal\.\n/);
  expect(stdout).toContain('assets: the API repeated a cursor instead of ending the list');
  const blocks = await each.json(['verify', 'dns-blocks']);
  const counted = { 'dns-blocks': { rowsListed: 1, idsEqual: null } };
  expect(blocks).toMatchObject({ status: 0, document: { complete: null, streams: counted } });
});

test('verify at Ctrl-C exits with 130 without a change', async () => {
  await using each = await sent();
  const { api } = each.connector;
  api.tamper(({ target }) => (target.startsWith('/v1/assets?') ? silence : undefined));
  const asked = api.arrived(api.seen.length + 1);
  const { interrupt, ended } = each.start(['verify', 'assets']);
  await asked;
  interrupt();
  const stderr = expect.stringContaining('Interrupted. Nothing was changed.');
  expect(await ended).toEqual({ status: 130, stdout: '', stderr });
});

describe('verify with a wait', () => {
  /** Skips the pauses between two reads of the lease. Time-outs of requests are longer and stay. */
  const sleep: Clock['sleep'] = (milliseconds, signal) =>
    milliseconds <= 1_000 ? nextTurn(undefined, { signal }) : systemClock.sleep(milliseconds, signal);

  test('verify confirms only the differences that the next run does not resolve', async () => {
    await using each = await sent();
    await leaveBatchOpen(each);
    each.connector.simulator.put('assets', { id: 'new' });
    await putState(each, 'assets', 'ghost');
    const { stderr, ended } = each.start(['verify', 'assets', 'threats'], { ...systemClock, sleep });
    await new Promise<void>(resolve => {
      stderr.on('data', chunk => String(chunk).includes('for the next run to end') && resolve());
    });
    await each.run();
    const { status, stdout } = await ended;
    expect(status).toBe(3);
    expect(stdout).toMatch(/^Differs: 1 id; 32 ids equal, 2 resolved since\.$/m);
    expect(stdout).toContain('assets: 1 live at the SIEM, but removed from the API\n    "ghost"');
    expect(stdout).not.toContain('a run was killed within a batch');
  });

  test('verify does not wait while the schedule is off', async () => {
    await using each = await sent();
    each.connector.simulator.put('assets', { id: 'new' });
    await each.ctl(['pause']);
    const { status, stdout, stderr } = await each.ctl(['verify', 'assets', '--wait', '99999']);
    expect(status).toBe(3);
    expect(stdout).toMatch(/^Differs: 1 id; .* Not confirmed: the schedule is off/);
    expect(stdout).toContain('Start a run with "npm run connectorctl -- run", then verify again');
    expect(stderr).toMatch(/^The schedule is off, so no run will send the missing rows.*Reading assets/s);
  });
});
