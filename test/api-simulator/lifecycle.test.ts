import { describe, expect, test } from '@jest/globals';
import { createTenant } from './tenant.ts';

describe('an asset and its threats', () => {
  test('a restored asset is delivered as live data, and its unchanged threats get new positions', async () => {
    const { simulator, clock, walk } = createTenant();
    simulator.put('assets', { id: 'a', name: 'x' });
    simulator.put('threats', { id: 't', asset_id: 'a', severity: 'low' });
    const [before] = await walk('threats');
    simulator.remove('assets', 'a');
    clock.now += 60_000;
    simulator.restore('assets', 'a');
    expect(await walk('assets')).toMatchObject([{ id: 'a', deleted: false, name: 'x' }]);
    const [after] = await walk('threats');
    expect(after).toEqual({ ...before, stream_position: after!['stream_position'] });
    expect(String(after!['stream_position']) > String(before!['stream_position'])).toBe(true);
  });

  describe('where restored threats keep their old positions', () => {
    function createTwoThreats() {
      const tenant = createTenant({ restoredThreats: 'old-positions' });
      tenant.simulator.put('assets', { id: 'a' });
      for (const id of ['t', 'u']) tenant.simulator.put('threats', { id, asset_id: 'a', severity: 'low' });
      return tenant;
    }

    test('the threats of a restored asset reappear exactly as they were, even after several removals', async () => {
      const { simulator, clock, walk } = createTwoThreats();
      const before = await walk('threats');
      for (let time = 0; time < 2; time++) {
        simulator.remove('assets', 'a');
        clock.now += 60_000;
        expect(await walk('threats')).toEqual([]);
        simulator.restore('assets', 'a');
        expect(await walk('threats')).toEqual(before);
      }
    });

    test('a threat that changed while its asset was removed is delivered at a new position', async () => {
      const { simulator, walk } = createTwoThreats();
      simulator.remove('assets', 'a');
      simulator.put('threats', { id: 't', asset_id: 'a', severity: 'high' });
      simulator.restore('assets', 'a');
      expect(await walk('threats')).toMatchObject([{ id: 'u' }, { id: 't', severity: 'high' }]);
    });
  });

  test('a moved threat is listed while its present asset exists, even if its former asset does not', async () => {
    const { simulator, ids } = createTenant();
    for (const id of ['a', 'b']) simulator.put('assets', { id });
    simulator.put('threats', { id: 't', asset_id: 'a' });
    simulator.put('threats', { id: 't', asset_id: 'b' });
    simulator.remove('assets', 'a');
    expect(await ids('threats')).toEqual(['t']);
    simulator.put('threats', { id: 't', asset_id: 'a' });
    expect(await ids('threats')).toEqual([]);
    simulator.restore('assets', 'a');
    expect(await ids('threats')).toEqual(['t']);
  });

  test('a re-projection of a row changes only its position', async () => {
    const { simulator, clock, walk } = createTenant();
    simulator.put('assets', { id: 'a' });
    simulator.put('threats', { id: 't', asset_id: 'a' });
    const before = [...(await walk('assets')), ...(await walk('threats'))];
    clock.now += 1000;
    simulator.redeliver('assets', 'a');
    simulator.redeliver('threats', 't');
    const after = [...(await walk('assets')), ...(await walk('threats'))];
    expect(after).toEqual(before.map((row, index) => ({ ...row, stream_position: after[index]!['stream_position'] })));
    expect(after.map(row => row['stream_position'])).not.toEqual(before.map(row => row['stream_position']));
  });

  test.each<[string, (simulator: ReturnType<typeof createTenant>['simulator']) => void]>([
    ['the removal of an unknown asset', simulator => simulator.remove('assets', 'nobody')],
    ['the restoration of a live asset', simulator => simulator.restore('assets', 'live')],
    ['a put of a removed asset', simulator => simulator.put('assets', { id: 'gone' })],
    ['a tombstone of a known asset', simulator => simulator.tombstoneUnseen('assets', 'live')],
    ['a threat of an unknown asset', simulator => simulator.put('threats', { id: 't', asset_id: 'nobody' })],
    ['a row that is not JSON', simulator => simulator.put('assets', '{"id":')],
    ['a row that sets its own position', simulator => simulator.put('assets', { id: 'x', stream_position: 'now' })],
  ])('the API simulator refuses %s without a change', (_, act) => {
    const { simulator } = createTenant();
    for (const id of ['live', 'gone']) simulator.put('assets', { id });
    simulator.put('threats', { id: 'hidden', asset_id: 'gone' });
    simulator.remove('assets', 'gone');
    const before = simulator.truth();
    expect(() => act(simulator)).toThrow(expect.objectContaining({ name: 'ProblemError' }));
    expect(simulator.truth()).toEqual(before);
  });
});
