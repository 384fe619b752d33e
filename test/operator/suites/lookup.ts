/** `lookup`, as an operator types it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rowKey } from '../../../lambda/store/item.ts';
import { sha256 } from '../../../lambda/system.ts';
import { pass } from '../../support/function/aws-scene.ts';
import { START } from '../../support/function/stepped-clock.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { DENIED } from '../support/refusals.ts';

const CANARY = 'canary-value';
let each: Deployment;

beforeAll(async () => {
  const FILTERS = JSON.stringify({ assets: "name != 'excluded'" });
  each = await deployment({}, { environment: { FILTERS }, variables: { FILTERS }, aws: { now: () => START } });
  const { simulator } = each.connector;
  for (const id of ['a', 'b', 'removed', 'a/ü %?#']) simulator.put('assets', { id, name: CANARY, serial: 1 });
  simulator.put('threats', { id: 't', asset_id: 'a', title: CANARY });
  simulator.put('threats', { id: 'of-removed', asset_id: 'removed' });
  simulator.put('assets', { id: 'wide', name: 'x'.repeat(1_100_000) });
  await each.run();
  simulator.remove('assets', 'removed');
  await each.run();
  simulator.put('assets', { id: 'b', name: CANARY, serial: 2, extra: true });
  simulator.put('assets', { id: 'filtered', name: 'excluded' });
});

afterAll(async () => {
  await each[Symbol.asyncDispose]();
});

const asked = (...args: string[]) => each.json(['lookup', ...args]);

describe('lookup', () => {
  test('lookup reports a sent row as "same" without showing the row', async () => {
    const { status, document } = await asked('assets', 'a');
    const lastSent = { status: 'live', forwardedAt: '2026-11-20T12:00:00.000Z' };
    expect({ status, document }).toMatchObject({
      status: 0,
      document: { result: 'same', siemIsCurrent: true, lastSent },
    });
    expect(JSON.stringify(document)).not.toContain(CANARY);
    const { stdout } = await each.ctl(['lookup', 'threats', 't']);
    expect(stdout).toMatch(/^API now: .*, of asset "a"$/m);
    expect(stdout).toMatch(/^Last sent: .*, sequence \d+, of asset "a"$/m);
  });

  test('lookup reports a changed row as "differs" and shows the row only with --show', async () => {
    const { status, stdout } = await each.ctl(['lookup', 'assets', 'b']);
    expect({ status, stdout }).toEqual({
      status: 3,
      stdout: expect.stringMatching(/^assets "b": differs\..*\n.*resync/),
    });
    expect(stdout).not.toContain(CANARY);
    const { document } = await asked('assets', 'b', '--show');
    expect(document.api.row).toContain(CANARY);
  });

  test.each([
    ['threats', 'of-removed', 'removed', 0],
    ['assets', 'a/ü %?#', 'same', 0],
    ['assets', 'filtered', 'filtered', 0],
    // No path of the API can hold this id.
    ['threats', '..', 'unknown', 3],
    ['assets', 'wide', 'too large', 3],
  ])('lookup %s %s reports "%s" with exit status %i', async (stream, id, result, expected) => {
    expect(await asked(stream, id)).toMatchObject({ status: expected, document: { result, id } });
  });

  test('lookup shows the status of a refusal without interpreting it', async () => {
    const { status, stdout } = await each.ctl(['lookup', 'assets', 'unknown']);
    expect(status).toBe(3);
    expect(stdout).toMatch(/^assets "unknown": not found\. /);
    expect(stdout).toMatch(/^API now: {4}refused with 404 \(without a known type\)$/m);
    expect(stdout).toMatch(/^Last sent: {2}never$/m);
  });

  test('lookup refuses a row state of another format version and says what to do', async () => {
    const key = rowKey('assets', 'foreign', sha256);
    await each.connector.table.put([{ ...key, digest: { S: 'x' } }], pass);
    const stderr = expect.stringContaining('Deploy the version of the connector that wrote it');
    expect(await each.ctl(['lookup', 'assets', 'foreign'])).toMatchObject({ status: 1, stderr });
  });

  test('lookup fails when it cannot list the bucket to find out whether a row was too large', async () => {
    each.connector.aws.faults.next('s3', DENIED);
    const stderr = expect.stringContaining('could not be listed');
    expect(await each.ctl(['lookup', 'assets', 'wide'])).toEqual({ status: 1, stdout: '', stderr });
  });

  test('lookup --related lists the neighbours with their last event, or shows the refusal of the API', async () => {
    const { stdout } = await each.ctl(['lookup', 'assets', 'a', '--related']);
    expect(stdout).toMatch(/^neighbour +last sent\n-+\n"b" +a row$/m);
    const { status, document } = await asked('assets', 'a', '--related');
    const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id);
    const neighbours = ['b', 'wide'].map(id => ({ id, lastSent: 'live' }));
    expect(status).toBe(0);
    expect(document.neighbours.toSorted(byId)).toEqual(neighbours);
    expect(JSON.stringify(document)).not.toContain(CANARY);
    const unknown = await asked('assets', 'unknown', '--related');
    expect(unknown.document).toMatchObject({ neighbours: null, neighboursAnswer: { status: 404 } });
    const stderr = expect.stringContaining('Only assets have neighbours');
    expect(await each.ctl(['lookup', 'threats', 't', '--related'])).toMatchObject({ status: 2, stderr });
  });
});
