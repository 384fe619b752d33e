/** Parts of lookup, without a process. */
import { describe, expect, test } from '@jest/globals';
import { neighbourIds } from '../../../bin/ctl/commands/lookup/neighbours.ts';
import { lookupResultOf, unsettledResult } from '../../../bin/ctl/commands/lookup/result.ts';
import { INITIAL_CHECKPOINT } from '../../../lambda/core/checkpoint.ts';
import { membersToCut } from '../../../lambda/core/row.ts';
import { beginSecondWalk } from '../../../lambda/core/second-walk.ts';
import { createRowFilter } from '../../../lambda/filters.ts';
import { sha256 } from '../../../lambda/system.ts';
import { rowState } from '../../support/core/memory-table.ts';
import { asset, tombstone } from '../../support/core/rows.ts';
import { ASSETS, rowOf } from '../../support/core/streams.ts';

const SEQUENCE = '00000010420000000001';

const filteredBy = (filter: string) => ({
  ...ASSETS,
  filter: createRowFilter({ filter }, '/v1/assets', membersToCut(ASSETS, 'asset_id'), sha256),
});

describe('the comparison of the API with the row state', () => {
  const live = rowOf(asset('a'));
  const gone = rowOf(tombstone('a'));
  const refused = { kind: 'refused', status: 404, type: 'x' } as const;
  const row = (of: typeof live) => ({ kind: 'row', row: of }) as const;
  const sent = rowState({ rowHash: live.rowHash });
  const removal = rowState({ rowHash: gone.rowHash, status: 'removed' });
  const excluded = rowOf(asset('a'), filteredBy("id != 'a'"));
  const withdrawn = rowState({ rowHash: '', status: 'filtered' });

  test.each([
    ['same', row(live), sent],
    ['same', row(rowOf(asset('a', { position: null }))), sent],
    ['differs', row(rowOf(asset('a', { version: 2 }))), sent],
    ['differs', row(live), removal],
    ['differs', row(gone), sent],
    ['differs', row(live), rowState({ rowHash: live.rowHash, status: 'removed' })],
    ['removed', row(gone), removal],
    ['removed', refused, removal],
    ['removed', { kind: 'asset removed', assetId: 'a' } as const, removal],
    ['not removed', { kind: 'asset removed', assetId: 'a' } as const, sent],
    ['not removed', refused, sent],
    ['filtered', row(excluded), undefined],
    ['filtered', row(excluded), withdrawn],
    ['filtered', row(excluded), removal],
    ['not withdrawn', row(excluded), sent],
    ['differs', row(live), withdrawn],
    ['removed', row(gone), withdrawn],
    ['removed', refused, withdrawn],
    ['not found', refused, undefined],
    ['not found', row(gone), undefined],
    ['never sent', row(live), undefined],
    ['unknown', { kind: 'unclear', why: 'x' } as const, sent],
  ])('lookup reports "%s" for the answer %p of the API and the row state %p', (result, answer, stored) => {
    expect(lookupResultOf(answer, stored)).toBe(result);
  });
});

describe('a row state is', () => {
  const checkpoint = { ...INITIAL_CHECKPOINT, generation: 2, committed: SEQUENCE };
  const saved = { checkpoint, log: undefined };
  const logged = (sequence: string) => ({ checkpoint, log: { sequence, key: 'log/assets/1', earlier: [] } });
  const during = (mode: 'all' | 'differences') => ({
    ...saved,
    checkpoint: beginSecondWalk(checkpoint, { mode, now: 0, epoch: 3 }),
  });
  test.each([
    ['relied on', rowState({ generation: 2 }), saved, undefined],
    ['relied on once the last batch is saved', rowState({ generation: 2 }), logged(SEQUENCE), undefined],
    ['unfinished while a batch is open', rowState({ generation: 2 }), logged('00000010420000000002'), 'unfinished'],
    ['unfinished although the row is unknown', undefined, logged('00000010420000000002'), 'unfinished'],
    ['older than the replay in progress', rowState({ generation: 2 }), during('all'), 'awaits a replay'],
    ['relied on once the replay has sent the row', rowState({ generation: 3 }), during('all'), undefined],
    ['relied on during a resync', rowState({ generation: 2 }), during('differences'), undefined],
    ['relied on after the replay', rowState({ generation: 1 }), saved, undefined],
    ['relied on for a removed row', rowState({ generation: 2, status: 'removed' }), during('all'), undefined],
    ['unknown when another version saved the checkpoint', rowState(), new Error('changed by hand'), 'unknown'],
  ])('a row state is %s', (_what, stored, of, result) => {
    expect(unsettledResult(stored, of)).toBe(result);
  });
});

describe('the neighbours in an answer of unspecified shape', () => {
  test.each([
    ['{"data":[{"id":"b"},{"id":"c"}]}', ['b', 'c']],
    ['[{"id":"b"},{"id":"b"}]', ['b']],
    ['{"id":"a","related":{"via":[{"asset":{"id":"b"}}]}}', ['b']],
    ['{"data":[{"id":"b","interfaces":[{"id":"eth0"}]}]}', ['b']],
    ['{"data":[{"id":7},{"id":""},{"name":"x"}]}', []],
    ['{}', []],
  ])('the neighbours read from %s are %p', (answer, ids) => {
    expect(neighbourIds(answer, 'a')).toEqual(ids);
  });

  test('the neighbours of a row are undefined when the answer of the API is not JSON', () => {
    expect(neighbourIds('<html>', 'a')).toBeUndefined();
  });
});
