import { describe, expect, test } from '@jest/globals';
import { classify, type Known } from '../../../lambda/core/decide.ts';
import type { Row } from '../../../lambda/core/row.ts';
import { rowState } from './support/memory-table.ts';
import { asset, threat, tombstone } from './support/rows.ts';
import { rowOf, THREATS } from './support/streams.ts';

function knowing(known: Row | undefined, change: Partial<Known> & { generation?: number } = {}): Known {
  const state = known && rowState({ rowHash: known.rowHash, parent: known.parent, removed: known.deleted });
  return { state, unconfirmed: false, generation: 0, ...change };
}

describe('row states', () => {
  const known = rowOf(asset('a', { version: 1, position: 'p1' }));

  test('an unknown id is forwarded', () => {
    expect(classify(known, knowing(undefined))).toBe('forward');
  });

  test('another digest is forwarded', () => {
    expect(classify(rowOf(asset('a', { version: 2 })), knowing(known))).toBe('forward');
  });

  test('rule 5: the same content at a later stream_position is a re-delivery', () => {
    expect(classify(rowOf(asset('a', { version: 1, position: 'p9' })), knowing(known))).toBe('suppress');
  });

  test('rule 5: an older updated_at with other content is news', () => {
    const older = rowOf(asset('a', { version: 1, updated_at: '2020-01-01T00:00:00Z' }));
    expect(classify(older, knowing(known))).toBe('forward');
  });

  test('a replay: states of an earlier generation no longer say what the SIEM has', () => {
    expect(classify(known, knowing(known, { generation: 1 }))).toBe('forward');
  });

  test('in doubt, the same content is forwarded again', () => {
    expect(classify(known, knowing(known, { unconfirmed: true }))).toBe('forward');
  });

  test('members adopt: the same content under another owner teaches the state, and is not sent', () => {
    const before = rowOf(threat('t', 'a1'), THREATS);
    const state = rowState({ rowHash: before.rowHash, parent: undefined });
    expect(classify(before, { state, unconfirmed: false, generation: 0 })).toBe('adopt');
  });
});

describe('removals', () => {
  const live = rowOf(asset('a'));
  const removed = rowOf(tombstone('a', { position: 'p2' }));

  test('the tombstone of a known asset is forwarded', () => {
    expect(classify(removed, knowing(live))).toBe('forward');
  });

  test('the tombstone of an asset never seen is not', () => {
    expect(classify(removed, knowing(undefined))).toBe('unseen');
  });

  test('the tombstone of an asset that may have been sent just before a crash is forwarded', () => {
    expect(classify(removed, knowing(undefined, { unconfirmed: true }))).toBe('forward');
  });

  test('a tombstone delivered again is a re-delivery', () => {
    expect(classify(rowOf(tombstone('a', { position: 'p3' })), knowing(removed))).toBe('suppress');
  });

  test('a restored asset is forwarded, also when it is as it was before its removal', () => {
    expect(classify(live, knowing(removed))).toBe('forward');
  });
});
