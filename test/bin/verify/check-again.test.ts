/** Which differences last, once a run has had the time to mend what was on its way. */

import { describe, expect, test } from '@jest/globals';
import type { Access } from '../../../bin/ctl/access/access.ts';
import { checkAgain } from '../../../bin/ctl/verify/check-again.ts';
import type { Difference } from '../../../bin/ctl/verify/difference.ts';
import { ApiRefusedError } from '../../../lambda/core/errors.ts';
import type { RowState } from '../../../lambda/ports.ts';
import type { SingleRead } from '../../../lambda/source/api.ts';
import type { SyncedStream } from '../../../lambda/streams.ts';
import { rowState } from '../../lambda/core/support/memory-table.ts';
import { asset, threat } from '../../lambda/core/support/rows.ts';
import { ASSETS, rowOf, THREATS } from '../../lambda/core/support/streams.ts';

const BEGUN = Date.parse('2026-11-20T12:00:00Z');
const AFTER = '2026-11-20T12:00:30.000Z';
const LISTED = rowOf(asset('a'));
const NEWER = rowOf(asset('a', { version: 2 }));

/** The API's answer for every id, and what the table says by now. */
async function outcome(
  difference: Partial<Difference>,
  state: RowState | undefined,
  answer: string | undefined,
  stream: SyncedStream = ASSETS,
) {
  const access = {
    settings: { threatAssetField: 'asset_id' },
    streams: [ASSETS, THREATS],
    rowStates: { get: async () => new Map(state ? [['a', state]] : []) },
    api: {
      async single({ path, id }: SingleRead) {
        if (answer === undefined || (path === ASSETS.path && id === 'removed')) throw new ApiRefusedError('/a', 404);
        return answer;
      },
    },
  } as unknown as Access;
  const each: Difference = {
    kind: 'other',
    id: 'a',
    key: '=a',
    listed: 'live',
    rowHash: LISTED.rowHash,
    ...difference,
  };
  const { confirmed, moved, resolved } = await checkAgain(access, { stream, found: [each], generation: 1 }, BEGUN);
  return confirmed.length > 0 ? 'lasts' : moved.length > 0 ? 'moved' : resolved > 0 ? 'settled' : 'lost';
}

const missing = { kind: 'missing' } as const;
const ghost = { kind: 'ghost', listed: undefined, rowHash: undefined } as const;

describe('a difference', () => {
  test.each([
    ['settled when the row has been sent by now', missing, rowState({ rowHash: LISTED.rowHash }), undefined, 'settled'],
    [
      'settled when the row has changed again, and that was sent',
      {},
      rowState({ rowHash: NEWER.rowHash }),
      NEWER.text,
      'settled',
    ],
    ['settled when a row never sent is gone from the API as well', missing, undefined, undefined, 'settled'],
    ['settled when a ghost has been told as gone', ghost, rowState({ removed: true }), undefined, 'settled'],
    ['settled when a ghost is alive after all', ghost, rowState({ rowHash: LISTED.rowHash }), LISTED.text, 'settled'],
    ['lasting when a row is still not sent', missing, undefined, LISTED.text, 'lasts'],
    ['lasting when its state has not moved', {}, rowState({ rowHash: 'old', forwardedAt: '' }), LISTED.text, 'lasts'],
    ['lasting when a ghost is still live', ghost, rowState({ rowHash: LISTED.rowHash }), undefined, 'lasts'],
    [
      'lasting when it awaits a replay',
      { kind: 'stale' } as const,
      rowState({ rowHash: LISTED.rowHash }),
      LISTED.text,
      'lasts',
    ],
    [
      'settled when a replay has sent it meanwhile',
      { kind: 'stale' } as const,
      rowState({ rowHash: LISTED.rowHash, generation: 1 }),
      LISTED.text,
      'settled',
    ],
    [
      'not told as lasting when its state has moved, and the single read differs as it may from a list row',
      {},
      rowState({ rowHash: NEWER.rowHash, forwardedAt: AFTER }),
      LISTED.text.replace('"version"', '"more":1,"version"'),
      'moved',
    ],
  ] as const)('is %s', async (_what, difference, state, answer, expected) => {
    expect(await outcome(difference, state, answer)).toBe(expected);
  });

  test('lasts when a threat is a ghost that a single read still gives, although its asset is removed', async () => {
    const orphan = rowOf(threat('a', 'removed'), THREATS);
    const state = rowState({ rowHash: orphan.rowHash, parent: 'removed' });
    expect(await outcome(ghost, state, orphan.text, THREATS)).toBe('lasts');
    expect(await outcome(ghost, { ...state, removed: true, rowHash: '' }, orphan.text, THREATS)).toBe('settled');
  });

  test('of an id that is known by its hash alone lasts: it cannot be asked for', async () => {
    expect(await outcome({ ...ghost, id: undefined }, undefined, undefined)).toBe('lasts');
  });
});
