/** The second walk: what is held back, where it resumes, and what it may conclude from a list. */
import { describe, expect, test } from '@jest/globals';
import { INITIAL_CHECKPOINT } from '../../lambda/core/checkpoint.ts';
import { ApiRefusedError, CursorRefusedError } from '../../lambda/core/errors.ts';
import { withdrawalsDigest } from '../../lambda/core/guard.ts';
import { beginSecondWalk } from '../../lambda/core/second-walk.ts';
import type { Checkpoint, SecondWalk } from '../../lambda/ports.ts';
import { sha256 } from '../../lambda/system.ts';
import { Harness, type RunChange } from '../support/core/harness.ts';
import { rowState } from '../support/core/memory-table.ts';
import { answer, asset, threat, tombstone } from '../support/core/rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const secondOf = (harness: Harness, stream: 'assets' | 'threats' = 'assets') => harness.table.checkpoint(stream).second;
const versions = (harness: Harness) => harness.events.map(({ id, row }) => `${id} v${row?.['version']}`);
const cutAfter = (pages: number) => {
  let asked = 0;
  return () => ++asked > pages;
};

/** The SIEM has the last version of each row of these pages, and the walk stands behind them, at cursor `end`. */
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

describe('two passes over the list', () => {
  test('the second pass begins an hour after the first one ended, and a row that neither has listed is withdrawn', async () => {
    const harness = await having([[asset('a'), asset('b'), asset('c')]]);
    lists(harness, [asset('a'), asset('b')]);
    await harness.runStream('assets', { resync: ['assets'] });
    const ended = harness.clock.now();
    expect(secondOf(harness)).toMatchObject({ phase: 'confirm', notBefore: ended + HOUR });

    // The API had withheld c for a moment, and now it withholds b.
    lists(harness, [asset('a'), asset('c')]);
    await later(harness, HOUR - 1);
    expect([harness.api.sent('/a'), harness.sent]).toEqual([['end'], []]);
    await later(harness, 1);
    expect([harness.sent, secondOf(harness)]).toEqual([[], undefined]);
  });

  test('a row that neither pass has listed is withdrawn once, and the rows are counted anew', async () => {
    const harness = await having([[asset('a'), asset('b')]]);
    harness.table.checkpoints.set('assets', {
      ...harness.table.checkpoint('assets'),
      counts: { existing: 99, listed: 0 },
    });
    lists(harness, [asset('a')]);
    await harness.runStream('assets', { resync: ['assets'] });
    expect(await later(harness, HOUR)).toMatchObject({ withdrawn: 1, pagesAgain: 1 });
    expect(harness.events).toMatchObject([{ kind: 'withdrawn', id: 'b', reason: 'not-listed' }]);
    expect(harness.table.checkpoint('assets')).toMatchObject({ counts: { existing: 1, listed: 1 }, second: undefined });
    expect(harness.table.removals('assets').map(({ id }) => id)).toEqual(['b']);
    expect(await later(harness, HOUR)).toMatchObject({ withdrawn: 0, pagesAgain: 0 });
  });

  test.each<[string, (harness: Harness) => unknown]>([
    ['without rows', harness => lists(harness, [])],
    [
      'that leads around a circle',
      harness => harness.api.on('/a', undefined, answer([asset('a')], 'x')).on('/a', 'x', answer([asset('a')], 'x')),
    ],
  ])('a list %s is no proof that anything is gone, so the pass is repeated after an hour', async (_which, list) => {
    const harness = await having([[asset('a'), asset('b')]]);
    list(harness);
    await harness.runStream('assets', { resync: ['assets'] });
    const { notBefore } = secondOf(harness)!;
    await later(harness, HOUR);
    expect(secondOf(harness)).toMatchObject({ phase: 'read', notBefore: notBefore + HOUR });
    expect(harness.sent).toEqual([]);
  });

  test('nothing is withdrawn in a run whose walk fails before the end of the stream', async () => {
    const harness = await having([[asset('a'), asset('b')]]);
    lists(harness, [asset('a')]);
    await harness.runStream('assets', { resync: ['assets'] });
    harness.api.on('/a', 'end', answer([asset('x')], 'x')).on('/a', 'x', new ApiRefusedError('/a', 400));
    await expect(later(harness, HOUR)).rejects.toThrow(ApiRefusedError);
    expect([harness.sent, secondOf(harness)?.phase]).toEqual([['upsert x'], 'confirm']);
  });

  test('a stream is compared with its list every reconcileDays, from the day on which the option is set', async () => {
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

  test('older versions of a row that the SIEM has are not sent', async () => {
    const harness = await having(everyVersion);
    lists(harness, ...everyVersion);
    await harness.runStream('assets', { resync: ['assets'] });
    expect(harness.sent).toEqual([]);
  });

  test('a row that differs is held back until the end of the pass, and sent once, as it was listed last', async () => {
    const harness = await having([[asset('a', { version: 9 })]]);
    lists(harness, ...everyVersion, [asset('b')]);
    const pagesAtDelivery: number[] = [];
    harness.journal.hook = step =>
      void (step === 'assets delivery' && pagesAtDelivery.push(harness.api.requests.length));
    await harness.runStream('assets', { resync: ['assets'] });
    expect(versions(harness)).toEqual(['a v3', 'b v1']);
    expect(pagesAtDelivery).toEqual([5]);
  });

  test('a row that differs and then is removed is sent as removed', async () => {
    const harness = await having([[asset('a', { version: 9 })]]);
    lists(harness, ...everyVersion, [tombstone('a', { version: 4 })]);
    await harness.runStream('assets', { resync: ['assets'] });
    expect(harness.sent).toEqual(['tombstone a']);
  });

  test('a row that the walk has changed meanwhile is passed over, because the held version is older', async () => {
    const harness = await having([[asset('a', { version: 1 })]]);
    lists(harness, [asset('a', { version: 2 })], [asset('b')], [asset('c')]);
    // After its first page the second walk takes its turn for the last time, and the walk reads what is new.
    const { api } = harness;
    harness.source = {
      async page(request) {
        if (request.path === '/a' && request.cursor === 'c1' && !api.sent('/a').includes('c1')) {
          harness.clock.advance(30_000);
          api.on('/a', 'end', answer([asset('a', { version: 3 })], 'end2')).on('/a', 'end2', answer([], null));
        }
        return api.page(request);
      },
    };
    await harness.runStream('assets', { resync: ['assets'] });
    expect(versions(harness)).toEqual(['a v3', 'b v1', 'c v1']);
  });

  test('rows of more than 8 MiB are sent before the end of the pass, because memory is bounded', async () => {
    const harness = await having([[asset('x')]]);
    const text = 'x'.repeat(900_000);
    lists(harness, ...Array.from({ length: 12 }, (_, index) => [asset(`a${index}`, { text })]));
    let deliveries = 0;
    harness.journal.hook = step => void (step === 'assets delivery' && deliveries++);
    await harness.runStream('assets', { resync: ['assets'] });
    expect([harness.lines.length, deliveries]).toEqual([12, 2]);
  });
});

describe('a pass that a run does not finish', () => {
  const ids = Array.from({ length: 12 }, (_, index) => `a${index}`);
  /**
   * The SIEM has another version of one row. The list has a page for each row, and the time ends after so many groups of them: the first
   * page alone, and then at most eight that have arrived meanwhile.
   */
  async function cut(groups: number, changed: string): Promise<Harness> {
    const harness = await having([ids.map(id => asset(id))]);
    lists(harness, ...ids.map(id => [asset(id, { version: id === changed ? 2 : 1 })]));
    const result = await harness.runStream('assets', { resync: ['assets'], outOfTime: timeFor(harness, groups) });
    expect(result).toMatchObject({ readsAgain: true, caughtUp: true, forwarded: 0 });
    return harness;
  }
  /** The time budget ends once so many groups of the pass were looked up. */
  const timeFor = (harness: Harness, count: number) => () =>
    harness.journal.begun.filter(step => step.includes('look-up')).length >= count;

  test('a pass without rows that differ goes on where it was', async () => {
    const harness = await cut(2, 'a11');
    const { rows, cursor } = secondOf(harness)!;
    expect([rows > 1, cursor]).toEqual([true, `c${rows}`]);
    await later(harness, MINUTE);
    expect(harness.api.sent('/a').slice(0, 2)).toEqual(['end', cursor]);
    expect([versions(harness), secondOf(harness)?.phase]).toEqual([['a11 v2'], 'confirm']);
  });

  test('a pass with rows that differ goes on before the pages of the first of them', async () => {
    const harness = await cut(2, 'a1');
    expect(secondOf(harness)).toMatchObject({ cursor: 'c1', rows: 1, isHeldUp: true });
    await later(harness, MINUTE);
    expect([versions(harness), secondOf(harness)?.phase]).toEqual([['a1 v2'], 'confirm']);
    expect(harness.table.checkpoint('assets').counts).toEqual({ existing: 12, listed: 12 });
  });

  test('a pass that two runs in a row leave at the same place sends what it has held back', async () => {
    const harness = await cut(1, 'a0');
    expect(secondOf(harness)).toMatchObject({ rows: 0, isHeldUp: true });
    harness.later();
    await harness.runStream('assets', { outOfTime: timeFor(harness, 1) });
    expect(versions(harness)).toEqual(['a0 v2']);
    expect(secondOf(harness)).toMatchObject({ cursor: 'c1', rows: 1 });
    expect(secondOf(harness)?.isHeldUp).toBeUndefined();
  });

  test('a refused cursor begins the pass anew, and no row is counted or sent twice', async () => {
    const harness = await cut(1, 'a1');
    const page = answer([asset('a1', { version: 2 })], 'c2');
    harness.api.on('/a', 'c1', new CursorRefusedError('/a'), page);
    expect(await later(harness, MINUTE)).toMatchObject({ refusedCursors: 1 });
    expect([versions(harness), secondOf(harness)?.phase]).toEqual([['a1 v2'], 'confirm']);
    expect(harness.table.checkpoint('assets').counts).toEqual({ existing: 12, listed: 12 });
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
    'a walk of mode %s has a generation of its own and the limits of the guard',
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

  test('a walk that sends everything again keeps mode, generation and counts when a resync begins it anew', () => {
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
    'a restoration during the phase %s begins the pass "%s" anew, and keeps mode and generation',
    (phase, after) => {
      const begun = begin('restored', { second: { ...second, phase } });
      expect(begun.generation).toBe(7);
      expect(begun.second).toEqual({ ...second, phase: after, cursor: undefined, scanned: undefined, rows: 0 });
    },
  );

  test('threats of restored assets are read again at most once in six hours', () => {
    const at = (reread: number | undefined) => begin('restored', { reread }).second?.notBefore;
    expect([at(undefined), at(900), at(1_000 - 7 * HOUR)]).toEqual([1_000, 900 + 6 * HOUR, 1_000]);
    expect(begin('restored')).toMatchObject({ generation: 7, window: ['w'], second: { mode: 'restored' } });
  });
});

describe('everything is sent again', () => {
  test('rows that were sent before the walk was begun anew are not sent again', async () => {
    const harness = await having([[asset('a')], [asset('b')]]);
    lists(harness, [asset('a')], [asset('b')]);
    const outOfTime = () => harness.journal.done.includes('assets delivery');
    harness.journal.hook = step => {
      if (step === 'assets look-up a b') throw new Error('the pages of a group were to be one');
    };
    await harness.runStream('assets', { replay: ['assets'], outOfTime });
    expect(harness.sent[0]).toBe('upsert a');
    const first = harness.sent;
    lists(harness, [asset('a')], [asset('b')]);
    await later(harness, MINUTE, { resync: ['assets'] });
    expect([...first, ...harness.sent].toSorted()).toEqual(['upsert a', 'upsert b']);
  });

  test('a second pass and the walks after it send nothing again', async () => {
    const harness = await having([[asset('a')], [tombstone('x')]]);
    lists(harness, [asset('a')], [tombstone('x')]);
    await harness.runStream('assets', { replay: ['assets'] });
    expect(harness.sent.toSorted()).toEqual(['tombstone x', 'upsert a']);
    await later(harness, HOUR);
    expect([harness.sent, secondOf(harness)]).toEqual([[], undefined]);
  });
});

describe('threats of restored assets', () => {
  /** Assets a and b have the threats t and u. Asset a was removed, and its threat withdrawn. */
  async function removed(): Promise<Harness> {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a'), asset('b')]], 'a1').pages('/t', [[threat('t', 'a'), threat('u', 'b')]], 't1');
    harness.api.on('/a', 'a1', answer([], null)).on('/t', 't1', answer([], null));
    await inventory(harness);
    harness
      .later()
      .api.on('/a', 'a1', answer([tombstone('a', { version: 2 })], 'a2'))
      .on('/a', 'a2', answer([], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t']);
    return harness.later();
  }
  const inventory = (harness: Harness, change: RunChange = {}) =>
    harness.run({ only: ['assets', 'threats'], ...change });

  test('only threats of assets that exist again are sent, and nothing is marked or swept', async () => {
    const harness = await removed();
    harness.table.putState('threats', 'v', rowState({ status: 'removed', parent: 'x' }));
    harness.table.putState('threats', 'ghost', rowState({ parent: 'b' }));
    harness.api.on('/a', 'a2', answer([asset('a', { version: 3 })], 'a3')).on('/a', 'a3', answer([], null));
    const listed = [threat('t', 'a'), threat('u', 'b', { version: 9 }), threat('v', 'x'), threat('new', 'a')];
    harness.api.pages('/t', [listed]);
    const { results } = await inventory(harness);
    // The threat "new" came while its asset was removed, so no walk has listed it.
    expect(harness.sent).toEqual(['upsert a', 'upsert t', 'upsert new']);
    expect(results.get('threats')).toMatchObject({ pagesAgain: 1, withdrawn: 0 });
    expect(harness.table.checkpoint('threats')).toMatchObject({ generation: 0, reread: harness.clock.now() });
    expect(secondOf(harness, 'threats')).toBeUndefined();
    expect(harness.table.state('threats', 'ghost')).toMatchObject({ status: 'live' });
  });

  test('a row that a filter excludes meanwhile is withdrawn at once, because the guard is about comparing', async () => {
    const harness = await removed();
    const filters = { threats: { filter: "severity != 'low'" } };
    // Read again less than six hours ago, so this walk waits.
    const checkpoint = harness.table.checkpoint('threats');
    harness.table.checkpoints.set('threats', { ...checkpoint, reread: harness.clock.now() });
    harness.api.on('/a', 'a2', answer([asset('a', { version: 3 })], 'a3')).on('/a', 'a3', answer([], null));
    await inventory(harness);
    expect(secondOf(harness, 'threats')).toMatchObject({ mode: 'restored' });
    // The filter is not new.
    const waiting = harness.table.checkpoint('threats');
    harness.table.checkpoints.set('threats', { ...waiting, filter: harness.tagOf('threats', filters) });
    harness
      .later()
      .api.on('/t', 't1', answer([threat('u', 'b', { version: 2, severity: 'low' })], 't2'))
      .on('/t', 't2', answer([], null));
    const { results } = await inventory(harness, { filters });
    expect(results.get('threats')).toMatchObject({ withdrawn: 1, withdrawalsWaiting: 0 });
  });
});

describe('the guard', () => {
  const MANY = Array.from({ length: 40 }, (_, index) => asset(`a${index}`, { severity: index < 30 ? 'low' : 'high' }));
  const filters = { assets: { filter: "severity != 'low'" } };
  const digestOf = (harness: Harness) => withdrawalsDigest([['assets', harness.table.checkpoint('assets')]], sha256);

  test('a filter that excludes more than half withdraws half, and the others wait while new changes go on', async () => {
    const harness = await having([MANY]);
    lists(harness, MANY);
    const result = await harness.runStream('assets', { filters });
    expect(result).toMatchObject({ withdrawn: 20, withdrawalsWaiting: 10, caughtUp: true });
    expect(secondOf(harness)).toMatchObject({ waiting: { reason: 'filtered', own: 10, children: 0 }, most: 20 });

    const changes = [asset('new', { severity: 'high' }), asset('a25', { version: 2, severity: 'low' })];
    harness.api.on('/a', 'end', answer(changes, 'e2')).on('/a', 'e2', answer([], null));
    expect(await later(harness, DAY, { filters })).toMatchObject({ withdrawn: 0, pagesAgain: 0 });
    expect([harness.sent, harness.table.state('assets', 'a25')?.status]).toEqual([['upsert new'], 'live']);

    lists(harness, MANY);
    const confirmed = { filters, confirmWithdrawals: digestOf(harness) };
    expect(await later(harness, MINUTE, confirmed)).toMatchObject({ withdrawn: 10, withdrawalsWaiting: 0 });
    expect(secondOf(harness)).toMatchObject({ phase: 'confirm', isConfirmed: true });
  });

  test('half of the rows that are not listed any more are withdrawn, and the others wait', async () => {
    const harness = await having([MANY]);
    lists(harness, MANY.slice(0, 15));
    await harness.runStream('assets', { resync: ['assets'] });
    expect(await later(harness, HOUR)).toMatchObject({ withdrawn: 20, withdrawalsWaiting: 5 });
    expect(secondOf(harness)).toMatchObject({ phase: 'sweep', waiting: { reason: 'not-listed', own: 5 } });
    const confirmed = { confirmWithdrawals: digestOf(harness) };
    expect(await later(harness, MINUTE, confirmed)).toMatchObject({ withdrawn: 5, withdrawalsWaiting: 0 });
    expect(secondOf(harness)).toBeUndefined();
  });

  test('the walk counts its own withdrawals with those of the second walk, and stops before the next one', async () => {
    const harness = await having([MANY]);
    lists(harness, MANY);
    await harness.runStream('assets', { filters, outOfTime: cutAfter(1) });
    const lowered = (count: number) =>
      MANY.slice(0, count).map((_, at) => asset(`a${at}`, { version: 2, severity: 'low' }));
    harness.api.on('/a', 'end', answer(lowered(20), 'e2')).on('/a', 'e2', answer([], null));
    expect(await later(harness, MINUTE, { filters, outOfTime: cutAfter(1) })).toMatchObject({ withdrawn: 20 });
    const checkpoint = harness.table.checkpoint('assets');
    const second: SecondWalk = { ...checkpoint.second!, phase: 'confirm', cursor: 'c9', rows: 9 };
    harness.table.checkpoints.set('assets', { ...checkpoint, second });
    harness.api.on('/a', 'e2', answer(lowered(21).slice(20), 'e3')).on('/a', 'e3', answer([], null));
    expect(await later(harness, MINUTE, { filters, outOfTime: cutAfter(1) })).toMatchObject({
      withdrawn: 0,
      withdrawalsWaiting: 1,
    });
    expect(harness.table.state('assets', 'a20')).toMatchObject({ status: 'live' });
    // The second walk must meet that row again, so it begins anew.
    expect(secondOf(harness)).toMatchObject({ phase: 'read', cursor: undefined, rows: 0 });
  });
});
