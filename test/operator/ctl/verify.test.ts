/** Parts of verify, without a process. */
import { describe, expect, test } from '@jest/globals';
import type { ConnectorAccess } from '../../../bin/ctl/access.ts';
import { checkDifferencesAgain } from '../../../bin/ctl/commands/verify/check-again.ts';
import { walkStream } from '../../../bin/ctl/commands/verify/compare.ts';
import {
  type Difference,
  differenceKindOf,
  differencesIn,
  EMPTY_ENTRY,
  type IdEntry,
  type IdIndex,
  recordListed,
} from '../../../bin/ctl/commands/verify/id-index.ts';
import { waitForNextRun } from '../../../bin/ctl/commands/verify/verify.ts';
import { type VerifiedStream, verifyOutcome } from '../../../bin/ctl/commands/verify/verify-result.ts';
import type { Context } from '../../../bin/ctl/context.ts';
import { createReporter } from '../../../bin/ctl/report.ts';
import type { LeaseState } from '../../../bin/ctl/state.ts';
import { INITIAL_CHECKPOINT } from '../../../lambda/core/checkpoint.ts';
import { ApiRefusedError } from '../../../lambda/core/errors.ts';
import { membersToCut } from '../../../lambda/core/row.ts';
import { createRowFilter } from '../../../lambda/filters.ts';
import type { Checkpoint, RowState } from '../../../lambda/ports.ts';
import type { SingleRead } from '../../../lambda/source/api.ts';
import type { SyncedStream } from '../../../lambda/streams.ts';
import { sha256 } from '../../../lambda/system.ts';
import { rowState } from '../../support/core/memory-table.ts';
import { asset, threat } from '../../support/core/rows.ts';
import { ASSETS, rowOf, THREATS } from '../../support/core/streams.ts';
import { steppedClock } from '../../support/function/stepped-clock.ts';

describe('an id', () => {
  const listed = { listed: 'live', listedHash: 'ff' } as const;
  const tombstone = { listed: 'tombstone', listedHash: 'ff' } as const;
  const filtered = { listed: 'filtered', listedHash: 'ff' } as const;
  const sent = { sent: 'row', sentHash: 'ff' } as const;
  const other = { sent: 'row', sentHash: '00' } as const;
  const removed = { sent: 'removal', sentHash: 'ff' } as const;
  const withdrawn = { sent: 'removal', sentHash: '' } as const;
  const stale = { stale: true } as const;

  test.each<readonly [string, Partial<IdEntry>, ReturnType<typeof differenceKindOf>]>([
    ['agrees when it is sent and listed with the same content', { ...sent, ...listed }, undefined],
    ['agrees when sent as removed and not listed', removed, undefined],
    ['agrees when sent as removed and listed as the same tombstone', { ...removed, ...tombstone }, undefined],
    ['agrees when it has an unknown tombstone', tombstone, undefined],
    ['is missing when it is listed but was never sent', listed, 'missing'],
    ['differs when it is listed with other content', { ...other, ...listed }, 'other'],
    ['differs when it is listed with another tombstone', { ...removed, ...tombstone, listedHash: '00' }, 'other'],
    ['is hidden when sent as removed and listed as live', { ...removed, ...listed, sentHash: '00' }, 'hidden'],
    ['is hidden when sent as removed and listed with the same content', { ...removed, ...listed }, 'hidden'],
    ['is a ghost when sent and not listed', sent, 'ghost'],
    ['is a ghost when sent and listed as a tombstone', { ...sent, ...tombstone }, 'ghost'],
    ['awaits its replay when its state is older than the replay', { ...sent, ...listed, ...stale }, 'stale'],
    ['is a ghost when its state is older than the replay and it is not listed', { ...sent, ...stale }, 'ghost'],
    ['agrees when the filter excludes it and it was never sent', filtered, undefined],
    ['agrees when the filter excludes it and it was withdrawn', { ...withdrawn, ...filtered }, undefined],
    ['agrees when the filter excludes it and it was removed before', { ...removed, ...filtered }, undefined],
    ['is unfiltered when the filter excludes it and it was sent', { ...sent, ...filtered }, 'unfiltered'],
    ['is unfiltered when the filter excludes it before its replay', { ...sent, ...stale, ...filtered }, 'unfiltered'],
    ['is hidden when a filter withdrew it and the current filter admits it', { ...withdrawn, ...listed }, 'hidden'],
    ['agrees when it is the tombstone of an asset that the filter withdrew', { ...withdrawn, ...tombstone }, undefined],
    [
      'agrees when its tombstone is listed and its withdrawal is older than the replay',
      { ...withdrawn, ...stale, ...tombstone },
      undefined,
    ],
  ])('an id %s', (_how, entry, kind) => {
    expect(differenceKindOf({ ...EMPTY_ENTRY, ...entry })).toBe(kind);
  });

  test('an id with other content is reported with the row that the API listed', () => {
    const hashed = `#${'0'.repeat(64)}`;
    const idIndex: IdIndex = new Map(['=a', '=b', hashed].map(key => [key, { ...EMPTY_ENTRY, ...other }]));
    recordListed(idIndex, '=a', { kind: 'live', rowHash: 'ff' });
    recordListed(idIndex, '=b', { kind: 'live', rowHash: '00' });
    expect(differencesIn(idIndex)).toEqual([
      { kind: 'other', id: 'a', key: '=a', listed: 'live', listedHash: 'ff' },
      { kind: 'ghost', id: undefined, key: hashed, listed: undefined, listedHash: '' },
    ]);
  });
});

describe('the next run', () => {
  const lease = (epoch: number, ended: LeaseState['ended']) => {
    return { epoch, ended, holder: 'x', held: ended === 'no', expires: 0 };
  };

  async function ended(wait: number, ...leases: ReturnType<typeof lease>[]) {
    const clock = steppedClock();
    const { signal } = new AbortController();
    let asked = 0;
    const read = async () => leases[Math.min(asked++, leases.length - 1)];
    return waitForNextRun({ clock, signal } as never, read, 7, wait);
  }

  test.each([
    ['has ended when a later epoch ended cleanly', 60, [lease(7, 'clean'), lease(8, 'no'), lease(8, 'clean')], true],
    ['is not the run in progress, which may have read earlier', 4, [lease(7, 'no'), lease(7, 'clean')], false],
    ['is not a run that ended within a batch', 4, [lease(8, 'dirty')], false],
    ['is the run after a run that ended within a batch', 60, [lease(8, 'dirty'), lease(9, 'clean')], true],
  ] as const)('the next run %s', async (_what, wait, leases, expected) => {
    expect(await ended(wait, ...leases)).toBe(expected);
  });
});

test('the wait for the next run ends at Ctrl-C', async () => {
  const context = { clock: steppedClock(), signal: AbortSignal.abort() } as never;
  await expect(waitForNextRun(context, async () => undefined, 7, 60)).rejects.toMatchObject({ name: 'AbortError' });
});

describe('a verification', () => {
  const none = { value: { count: 0, more: false } };
  const complete: VerifiedStream = {
    stream: ASSETS,
    rows: 3,
    unsendable: 0,
    filtered: 0,
    equal: 3,
    found: [],
    checkpoint: INITIAL_CHECKPOINT,
    ended: true,
    batchOpen: false,
    deadLetters: none,
    checked: undefined,
  };
  const lost = { kind: 'missing', id: 'a', key: '=a', listed: 'live', listedHash: 'ff' } as const;
  const checked = { confirmed: [], moved: [], resolved: 0 };

  test.each<readonly [string, Partial<VerifiedStream>, boolean]>([
    ['is complete when every id agrees', {}, true],
    ['is complete when every difference was resolved since', { found: [lost], checked }, true],
    ['is not complete while a batch is open', { batchOpen: true }, false],
    ['is not complete while an id differs', { found: [lost] }, false],
    ['is not complete while a difference lasts', { checked: { ...checked, confirmed: [lost] } }, false],
    ['is not complete while an id was sent again unchecked', { checked: { ...checked, moved: [lost] } }, false],
    ['is not complete while there are dead letters', { deadLetters: { value: { count: 1, more: false } } }, false],
    ['is not complete when the dead letters cannot be read', { deadLetters: { notReadable: 'denied' } }, false],
  ])('a verification %s', (_what, change, expected) => {
    const outcome = verifyOutcome({ streams: [complete, { ...complete, ...change }], paused: false }, 20);
    expect(outcome).toMatchObject({ status: expected ? 0 : 3, json: { complete: expected } });
    expect(String(outcome.text).startsWith('Complete')).toBe(expected);
  });
});

/** Walks pages of these rows of assets, each with its cursor. */
async function walked(
  stream: SyncedStream,
  idIndex: IdIndex,
  ...pages: (readonly [rows: readonly string[], cursor: string | null])[]
) {
  const bodies = pages.map(([rows, cursor]) => {
    const pagination = JSON.stringify({ next_cursor: cursor, page_size: rows.length });
    return `{"assets":[${rows}],"pagination":${pagination}}`;
  });
  const api = { page: async () => Buffer.from(bodies.shift() ?? '') };
  const access = { api, settings: { threatAssetField: 'asset_id', names: {} } } as unknown as ConnectorAccess;
  const report = createReporter({ environment: {}, stdout: {} } as never, true);
  const context = { clock: steppedClock(), report, signal: new AbortController().signal } as unknown as Context;
  return walkStream(context, access, { stream, idIndex, learned: {} });
}

test('verify compares the last version of an id in a list', async () => {
  const [older, newer] = [asset('a', { version: 1 }), asset('a', { version: 2 })];
  const idIndex: IdIndex = new Map([['=a', { ...EMPTY_ENTRY, sent: 'row', sentHash: rowOf(newer).rowHash }]]);
  expect(await walked(ASSETS, idIndex, [[older], 'c'], [[newer], null])).toMatchObject({ rows: 2, ended: true });
  expect(differencesIn(idIndex)).toEqual([]);
});

test('a list whose cursors form a circle is read once and counts as not ended', async () => {
  const idIndex: IdIndex = new Map();
  const pages = ['a', 'b', 'c', 'd'].map(id => asset(id));
  const cursors = ['c1', 'c2', 'c1', 'c2'];
  const walk = await walked(ASSETS, idIndex, ...pages.map((row, at) => [[row], cursors[at]!] as const));
  expect(walk).toMatchObject({ rows: 3, ended: false });
  expect(idIndex.size).toBe(3);
});

test('a row that the filter excludes is listed as filtered', async () => {
  const filter = createRowFilter({ filter: "id != 'a'" }, ASSETS.path, membersToCut(ASSETS, 'asset_id'), sha256);
  const idIndex: IdIndex = new Map();
  const walk = await walked({ ...ASSETS, filter }, idIndex, [[asset('a'), asset('b')], null]);
  expect(walk).toMatchObject({ filtered: 1 });
  expect([...idIndex.values()].map(({ listed }) => listed)).toEqual(['filtered', 'live']);
});

const BEGUN = Date.parse('2026-11-20T12:00:00Z');
const AFTER = '2026-11-20T12:00:30.000Z';
const LISTED = rowOf(asset('a'));
const NEWER = rowOf(asset('a', { version: 2 }));

/** Result of a second check with this row state and answer of the API. */
async function outcome(
  difference: Partial<Difference>,
  state: RowState | undefined,
  answer: string | undefined,
  stream: SyncedStream = ASSETS,
) {
  const access = {
    settings: { threatAssetField: 'asset_id' },
    streams: [ASSETS, THREATS],
    readRowStates: async () => new Map(state ? [['a', state]] : []),
    api: {
      async single({ path, id }: SingleRead) {
        if (answer === undefined || (path === ASSETS.path && id === 'removed')) throw new ApiRefusedError('/a', 404);
        return answer;
      },
    },
  } as unknown as ConnectorAccess;
  const listed = { kind: 'other', id: 'a', key: '=a', listed: 'live', listedHash: LISTED.rowHash } as const;
  const comparison = { stream, found: [{ ...listed, ...difference }], checkpoint: REPLAYED };
  const { confirmed, moved, resolved } = await checkDifferencesAgain(access, comparison, BEGUN);
  return confirmed.length > 0 ? 'lasts' : moved.length > 0 ? 'moved' : resolved > 0 ? 'resolved' : 'lost';
}

const REPLAYED: Checkpoint = {
  ...INITIAL_CHECKPOINT,
  generation: 1,
  second: { mode: 'all', phase: 'read', rows: 0, notBefore: 0, most: 0, withdrawn: { own: 0, children: 0 } },
};
const missing = { kind: 'missing' } as const;
const stale = { kind: 'stale' } as const;
const ghost = { kind: 'ghost', listed: undefined, listedHash: '' } as const;
const sent = rowState({ rowHash: LISTED.rowHash });
const sentNewer = rowState({ rowHash: NEWER.rowHash });
const withMore = LISTED.text.replace('"version"', '"more":1,"version"');

describe('a difference', () => {
  test.each<readonly [string, Partial<Difference>, RowState | undefined, string | undefined, string]>([
    ['is resolved when the row has been sent since', missing, sent, undefined, 'resolved'],
    ['is resolved when the row has changed again and was sent', {}, sentNewer, NEWER.text, 'resolved'],
    ['is resolved when a row that was never sent is gone from the API', missing, undefined, undefined, 'resolved'],
    ['is resolved when a ghost was sent as removed', ghost, rowState({ status: 'removed' }), undefined, 'resolved'],
    ['is resolved when a ghost exists at the API', ghost, sent, LISTED.text, 'resolved'],
    ['lasts when a row is still not sent', missing, undefined, LISTED.text, 'lasts'],
    ['lasts when the state of the row has not changed', {}, rowState({ rowHash: 'old' }), LISTED.text, 'lasts'],
    ['lasts when a ghost is still live at the SIEM', ghost, sent, undefined, 'lasts'],
    ['lasts when the row awaits a replay', stale, sent, LISTED.text, 'lasts'],
    ['is resolved when a replay has sent the row since', stale, { ...sent, generation: 1 }, LISTED.text, 'resolved'],
    ['is unconfirmed when the row was sent again', {}, { ...sentNewer, forwardedAt: AFTER }, withMore, 'moved'],
    ['lasts when only the hash of the id is known', { ...ghost, id: undefined }, undefined, undefined, 'lasts'],
  ])('a difference %s', async (_what, difference, state, answer, expected) => {
    expect(await outcome(difference, state, answer)).toBe(expected);
  });

  test('a threat of a removed asset stays a ghost, even if a single read returns the threat', async () => {
    const orphan = rowOf(threat('a', 'removed'), THREATS);
    const state = rowState({ rowHash: orphan.rowHash, parent: 'removed' });
    expect(await outcome(ghost, state, orphan.text, THREATS)).toBe('lasts');
    expect(await outcome(ghost, { ...state, status: 'removed', rowHash: '' }, orphan.text, THREATS)).toBe('resolved');
  });
});
