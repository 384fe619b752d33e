/** The second walk: what is held back, where it resumes, and what it may conclude from a list. */
import { describe, expect, test } from '@jest/globals';
import { INITIAL_CHECKPOINT } from '../../lambda/core/checkpoint.ts';
import { ApiRefusedError, CursorRefusedError } from '../../lambda/core/errors.ts';
import { beginSecondWalk } from '../../lambda/core/second-walk.ts';
import type { Checkpoint, SecondWalk } from '../../lambda/ports.ts';
import { Harness, type RunChange } from '../support/core/harness.ts';
import { rowState } from '../support/core/memory-table.ts';
import { answer, asset, threat } from '../support/core/rows.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const secondOf = (harness: Harness) => harness.table.checkpoint('assets').second;
const versions = (harness: Harness) => harness.events.map(({ id, row }) => `${id} v${row?.['version']}`);
/**
 * The SIEM has the last version of each row of these pages, and the walk stands behind them, at
 * cursor `end`.
 */
async function having(pages: readonly (readonly string[])[]): Promise<Harness> {
  const harness = new Harness();
  harness.api.pages('/a', pages, 'end').on('/a', 'end', answer([], null));
  await harness.runStream('assets');
  return harness.later();
}

/** A run of assets, so many milliseconds after the one before. */
function later(harness: Harness, milliseconds: number, change: RunChange = {}) {
  harness.later().clock.advance(milliseconds);
  return harness.runStream('assets', change);
}

/** The list from now on, as the second walk reads it. */
const lists = (harness: Harness, ...pages: string[][]) => harness.api.pages('/a', pages);

describe('two passes of a second walk over the list', () => {
  test('a row is withdrawn only if two passes at least an hour apart do not list the row', async () => {
    const harness = await having([[asset('a'), asset('b'), asset('c')]]);
    lists(harness, [asset('a'), asset('b')]);
    await harness.runStream('assets', { resync: ['assets'] });
    const ended = harness.clock.now();
    expect(secondOf(harness)).toMatchObject({ phase: 'confirm', notBefore: ended + HOUR });

    // The API had withheld c for a moment, and now it withholds b.
    lists(harness, [asset('a'), asset('c')]);
    await later(harness, HOUR - 1);
    expect(harness.api.sent('/a')).toEqual(['end']);
    expect(harness.sent).toEqual([]);
    await later(harness, 1);
    expect(harness.sent).toEqual([]);
    expect(secondOf(harness)).toBeUndefined();
  });

  test.each<[string, number, (harness: Harness) => unknown]>([
    ['without rows', 0, harness => lists(harness, [])],
    [
      'that leads around a circle',
      1,
      harness => harness.api.on('/a', undefined, answer([asset('a')], 'x')).on('/a', 'x', answer([asset('a')], 'x')),
    ],
  ])(
    'a list %s does not prove that rows are gone, so the pass is repeated later',
    async (_which, stalledCursors, list) => {
      const harness = await having([[asset('a'), asset('b')]]);
      list(harness);
      expect(await harness.runStream('assets', { resync: ['assets'] })).toMatchObject({ stalledCursors });
      const { notBefore } = secondOf(harness)!;
      await later(harness, HOUR);
      expect(secondOf(harness)).toMatchObject({ phase: 'read', notBefore: notBefore + HOUR });
      expect(harness.sent).toEqual([]);
    },
  );

  test('a pass that restarts after a refused cursor proves nothing if the list is then empty', async () => {
    const harness = await having([[asset('a'), asset('b')]]);
    const listed = [answer([asset('a')], 'c1'), answer([], null)];
    harness.api.on('/a', undefined, ...listed).on('/a', 'c1', new CursorRefusedError('/a'));
    await harness.runStream('assets', { resync: ['assets'] });
    expect(secondOf(harness)).toMatchObject({ phase: 'read', rows: 0 });
  });

  test('a run withdraws nothing when its walk fails before the end of the stream', async () => {
    const harness = await having([[asset('a'), asset('b')]]);
    lists(harness, [asset('a')]);
    await harness.runStream('assets', { resync: ['assets'] });
    harness.api.on('/a', 'end', answer([asset('x')], 'x')).on('/a', 'x', new ApiRefusedError('/a', 400));
    await expect(later(harness, HOUR)).rejects.toThrow(ApiRefusedError);
    expect(harness.sent).toEqual(['upsert x']);
    expect(secondOf(harness)?.phase).toBe('confirm');
  });

  test('a stream is compared with its list every reconcileDays, counted from the first run with the option', async () => {
    const harness = await having([[asset('a'), asset('b')]]);
    lists(harness, [asset('a')]);
    const change = { reconcileDays: 7 };
    expect(await later(harness, 90 * DAY, change)).toMatchObject({ pagesAgain: 0 });
    expect(await later(harness, 7 * DAY - 1, change)).toMatchObject({ pagesAgain: 0 });
    expect(await later(harness, 1, change)).toMatchObject({ pagesAgain: 1 });
    expect(await later(harness, HOUR, change)).toMatchObject({ pagesAgain: 1, withdrawn: 1 });
    expect(await later(harness, 7 * DAY - HOUR - 1, change)).toMatchObject({ pagesAgain: 0 });
    expect(await later(harness, 1, change)).toMatchObject({ pagesAgain: 1 });
  });
});

describe('a list of every version of a row', () => {
  const everyVersion = [1, 2, 3].map(version => [asset('a', { version })]);

  test('a changed row is sent once, at the end of the pass, in its last listed version', async () => {
    const harness = await having([[asset('a', { version: 9 })]]);
    lists(harness, ...everyVersion, [asset('b')]);
    const pagesAtDelivery: number[] = [];
    harness.journal.hook = step =>
      void (step === 'assets delivery' && pagesAtDelivery.push(harness.api.requests.length));
    await harness.runStream('assets', { resync: ['assets'] });
    expect(versions(harness)).toEqual(['a v3', 'b v1']);
    expect(pagesAtDelivery).toEqual([5]);
  });

  test('changed rows of more than 8 MiB are sent before the pass ends, because memory is limited', async () => {
    const harness = await having([[asset('x')]]);
    const text = 'x'.repeat(900_000);
    lists(harness, ...Array.from({ length: 12 }, (_, index) => [asset(`a${index}`, { text })]));
    let deliveries = 0;
    harness.journal.hook = step => void (step === 'assets delivery' && deliveries++);
    await harness.runStream('assets', { resync: ['assets'] });
    expect(harness.lines.length).toBe(12);
    expect(deliveries).toBe(2);
  });
});

describe('the checkpoint with which a second walk begins', () => {
  const before: Checkpoint = {
    ...INITIAL_CHECKPOINT,
    generation: 7,
    window: ['w'],
    counts: { existing: 4_000, listed: 3 },
  };
  const second: SecondWalk = {
    mode: 'all',
    phase: 'sweep',
    cursor: 'c9',
    rows: 9,
    notBefore: 0,
    scanned: 's9',
    most: 500,
    withdrawn: { own: 1, children: 1 },
  };
  const begin = (mode: SecondWalk['mode'], change: Partial<Checkpoint> = {}, epoch = 100) =>
    beginSecondWalk({ ...before, ...change }, { mode, epoch, now: 1_000 });

  test.each(['differences', 'all'] as const)(
    'a second walk of mode %s begins with a new generation and with new limits of the guard',
    mode => {
      expect(begin(mode)).toEqual({
        ...before,
        generation: 100,
        window: [],
        counts: { existing: 4_000, listed: 0 },
        reconciled: 1_000,
        second: { mode, phase: 'read', rows: 0, notBefore: 1_000, most: 500, withdrawn: { own: 0, children: 0 } },
      });
      // A clock that went back leaves the epoch behind the generation.
      expect(begin(mode, {}, 3).generation).toBe(8);
    },
  );

  test('a resync during a replay restarts the replay with the same mode, generation and counts', () => {
    const begun = begin('differences', { second });
    expect(begun).toMatchObject({ generation: 7, counts: before.counts });
    expect(begun.second).toMatchObject({ mode: 'all', phase: 'read', rows: 0 });
    expect(begun.second).not.toHaveProperty('cursor');
    // Another replay sends everything once more.
    expect(begin('all', { second }).generation).toBe(100);
  });

  test.each([
    ['read', 'read'],
    ['confirm', 'confirm'],
    ['sweep', 'confirm'],
  ] as const)(
    'a restoration during the phase %s restarts the phase "%s" with the same mode and generation',
    (phase, after) => {
      const begun = begin('restored', { second: { ...second, phase } });
      expect(begun.generation).toBe(7);
      expect(begun.second).toEqual({ ...second, phase: after, cursor: undefined, scanned: undefined, rows: 0 });
    },
  );

  test('threats of restored assets are read again no more than once in six hours', () => {
    const at = (reread: number | undefined) => begin('restored', { reread }).second?.notBefore;
    expect(at(undefined)).toBe(1_000);
    expect(at(900)).toEqual(900 + 6 * HOUR);
    expect(at(1_000 - 7 * HOUR)).toBe(1_000);
    expect(begin('restored')).toMatchObject({ generation: 7, window: ['w'], second: { mode: 'restored' } });
  });
});

test('the walk for restored assets sends only their threats, and neither marks nor sweeps rows', async () => {
  const harness = new Harness();
  const { table } = harness;
  table.putState('assets', 'a', rowState());
  for (const id of ['t', 'v']) table.putState('threats', id, rowState({ status: 'removed' }));
  for (const id of ['u', 'ghost']) table.putState('threats', id, rowState({ parent: 'b' }));
  const before = { ...INITIAL_CHECKPOINT, cursor: 'end', committed: rowState().sequence };
  table.checkpoints.set('threats', beginSecondWalk(before, { mode: 'restored', now: 0, epoch: 1 }));
  // The threat "new" came while its asset was removed, so no walk has listed it.
  const listed = [threat('t', 'a'), threat('u', 'b', { version: 9 }), threat('v', 'x'), threat('new', 'a')];
  harness.api.pages('/t', [listed]).on('/t', 'end', answer([], null));
  expect(await harness.runStream('threats')).toMatchObject({ pagesAgain: 1, withdrawn: 0 });
  expect(harness.sent).toEqual(['upsert t', 'upsert new']);
  expect(table.checkpoint('threats')).toMatchObject({
    generation: 0,
    reread: harness.clock.now(),
    second: undefined,
  });
  expect(table.state('threats', 'ghost')).toMatchObject({ status: 'live' });
});
