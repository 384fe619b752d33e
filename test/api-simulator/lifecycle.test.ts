import { describe, expect, test } from '@jest/globals';
import { createTenant } from './tenant.ts';

const ids = (rows: readonly { id: string }[]): string[] => rows.map(row => row.id);

describe('an asset and its threats', () => {
  test('a removed asset is delivered once more as a tombstone at its own, later position', async () => {
    const { platform, walk } = createTenant();
    platform.put('assets', { id: 'a', name: 'x' });
    platform.put('assets', { id: 'b' });
    const [before] = await walk('assets');
    platform.remove('assets', 'a');
    const [b, tombstone] = await walk('assets');
    expect(b!.id).toBe('b');
    expect(tombstone).toMatchObject({ id: 'a', deleted: true, deleted_at: '2026-11-20T12:00:00.000Z' });
    expect(tombstone).not.toHaveProperty('name');
    expect(String(tombstone!['stream_position']) > String(before!['stream_position'])).toBe(true);
  });

  test('a restored asset is live data again and its threats reappear at new positions, unchanged', async () => {
    const { platform, clock, walk } = createTenant();
    platform.put('assets', { id: 'a', name: 'x' });
    platform.put('threats', { id: 't', asset_id: 'a', severity: 'low' });
    const [before] = await walk('threats');
    platform.remove('assets', 'a');
    clock.now += 60_000;
    platform.restore('assets', 'a');
    expect(await walk('assets')).toMatchObject([{ id: 'a', deleted: false, name: 'x' }]);
    const [after] = await walk('threats');
    expect(after).toEqual({ ...before, stream_position: after!['stream_position'] });
    expect(String(after!['stream_position']) > String(before!['stream_position'])).toBe(true);
  });

  describe('where restored threats keep their old positions', () => {
    function createRemoved() {
      const tenant = createTenant({ restoredThreats: 'old-positions' });
      const { platform, clock } = tenant;
      platform.put('assets', { id: 'a' });
      for (const id of ['t', 'u']) platform.put('threats', { id, asset_id: 'a', severity: 'low' });
      platform.remove('assets', 'a');
      clock.now += 60_000;
      return tenant;
    }

    test('they reappear exactly as they were', async () => {
      const untouched = createTenant();
      untouched.platform.put('assets', { id: 'a' });
      for (const id of ['t', 'u']) untouched.platform.put('threats', { id, asset_id: 'a', severity: 'low' });
      const { platform, walk } = createRemoved();
      platform.restore('assets', 'a');
      expect(await walk('threats')).toEqual(await untouched.walk('threats'));
    });

    test('one that changed meanwhile is delivered at a new position', async () => {
      const { platform, walk } = createRemoved();
      platform.put('threats', { id: 't', asset_id: 'a', severity: 'high' });
      platform.restore('assets', 'a');
      expect(await walk('threats')).toMatchObject([{ id: 'u' }, { id: 't', severity: 'high' }]);
    });

    test('they disappear and reappear a second time', async () => {
      const { platform, walk } = createRemoved();
      platform.restore('assets', 'a');
      platform.remove('assets', 'a');
      expect(await walk('threats')).toEqual([]);
      platform.restore('assets', 'a');
      expect(ids(await walk('threats'))).toEqual(['t', 'u']);
    });
  });

  test('a threat of a removed asset is not delivered until the asset is restored', async () => {
    const { platform, walk } = createTenant();
    platform.put('assets', { id: 'a' });
    platform.remove('assets', 'a');
    platform.put('threats', { id: 't', asset_id: 'a' });
    expect(await walk('threats')).toEqual([]);
    platform.restore('assets', 'a');
    expect(ids(await walk('threats'))).toEqual(['t']);
  });

  test('a threat that moved to another asset is removed and restored with that asset', async () => {
    const { platform, walk } = createTenant();
    for (const id of ['a', 'b']) platform.put('assets', { id });
    platform.put('threats', { id: 't', asset_id: 'a' });
    platform.put('threats', { id: 't', asset_id: 'b' });
    platform.remove('assets', 'a');
    expect(ids(await walk('threats'))).toEqual(['t']);
    platform.remove('assets', 'b');
    expect(await walk('threats')).toEqual([]);
  });

  test('a tombstone is delivered also for an asset that no list ever showed', async () => {
    const { platform, walk } = createTenant();
    platform.tombstoneUnseen('assets', 'ghost');
    expect(await walk('assets')).toMatchObject([{ id: 'ghost', deleted: true }]);
  });

  test('a re-projection changes the position and nothing else', async () => {
    const { platform, clock, walk } = createTenant();
    platform.put('assets', { id: 'a' });
    platform.put('threats', { id: 't', asset_id: 'a' });
    const before = [...(await walk('assets')), ...(await walk('threats'))];
    clock.now += 1000;
    platform.redeliver('assets', 'a');
    platform.redeliver('threats', 't');
    const after = [...(await walk('assets')), ...(await walk('threats'))];
    expect(after).toEqual(before.map((row, index) => ({ ...row, stream_position: after[index]!['stream_position'] })));
    expect(after.map(row => row['stream_position'])).not.toEqual(before.map(row => row['stream_position']));
  });

  test.each<[string, (platform: ReturnType<typeof createTenant>['platform']) => void]>([
    ['removing an unknown asset', platform => platform.remove('assets', 'nobody')],
    ['removing twice', platform => platform.remove('assets', 'gone')],
    ['restoring a live asset', platform => platform.restore('assets', 'live')],
    ['putting a removed asset', platform => platform.put('assets', { id: 'gone' })],
    ['a tombstone of a known asset', platform => platform.tombstoneUnseen('assets', 'live')],
    ['a threat without an asset', platform => platform.put('threats', { id: 't' })],
    ['a threat of an unknown asset', platform => platform.put('threats', { id: 't', asset_id: 'nobody' })],
    ['re-projecting an unseen threat', platform => platform.redeliver('threats', 'hidden')],
    ['a row without id', platform => platform.put('assets', { name: 'x' })],
    ['a row that is a list', platform => platform.put('assets', '[1]')],
    ['a row that is not JSON', platform => platform.put('assets', '{"id":')],
    ['a row that sets its own position', platform => platform.put('assets', { id: 'x', stream_position: 'now' })],
  ])('%s is refused and changes nothing', (_, act) => {
    const { platform } = createTenant();
    for (const id of ['live', 'gone']) platform.put('assets', { id });
    platform.put('threats', { id: 'hidden', asset_id: 'gone' });
    platform.remove('assets', 'gone');
    const before = platform.truth();
    expect(() => act(platform)).toThrow(expect.objectContaining({ name: 'ProblemError' }));
    expect(platform.truth()).toEqual(before);
  });
});
