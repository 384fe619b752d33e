/** Refresh: rows that exist are sent again before a SIEM forgets them, and nothing else is. */
import { describe, expect, test } from '@jest/globals';
import { CursorRefusedError } from '../../../lambda/core/errors.ts';
import type { RunOutcome } from '../../../lambda/core/run-streams.ts';
import { Harness, type RunChange } from './support/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';

const DAY = 86_400_000;
const PAGES = ['a', 'b', 'c', 'd'];

/** Four assets on a page each, sent now. */
async function sent(): Promise<Harness> {
  const harness = new Harness();
  harness.api.pages('/a', [...PAGES.map(id => [asset(id)]), []]);
  await harness.runStream('assets');
  return harness;
}

function run(harness: Harness, change: RunChange = {}): Promise<RunOutcome> {
  return harness.later().run({ only: ['assets'], refreshDays: 10, ...change });
}

/** A run each so many days. Returns what was sent, by day. */
async function runs(harness: Harness, days: number, step: number): Promise<Map<number, string[]>> {
  const byDay = new Map<number, string[]>();
  for (let day = step; day <= days; day += step) {
    harness.clock.advance(step * DAY);
    await run(harness);
    if (harness.sent.length > 0) byDay.set(day, [...harness.sent]);
  }
  return byDay;
}

describe('a refresh', () => {
  test('every row is sent again before so many days have passed since it was sent, spread over the time', async () => {
    const harness = await sent();
    await run(harness);
    const byDay = await runs(harness, 9.5, 0.25);
    // The first is looked at when it is 4.5 days old, which is too early, and again after 9 days.
    expect([...byDay.values()].flat()).toEqual(['upsert b', 'upsert c', 'upsert d', 'upsert a']);
    // No day has more than one of the four.
    expect([...byDay.values()].map(each => each.length)).toEqual([1, 1, 1, 1]);
    expect(Math.min(...byDay.keys())).toBeGreaterThanOrEqual(4.5);
  });

  test('the first pass counts the pages and sends nothing, however old the rows are', async () => {
    const harness = await sent();
    harness.clock.advance(100 * DAY);
    await run(harness);
    expect(harness.sent).toEqual([]);
    expect(harness.table.refreshes.get('assets')).toMatchObject({ pages: 0, lastPages: 5 });
    expect((await runs(harness, 5, 0.5)).size).toBe(4);
  });

  test('a refresh says so, has an event_id of its own, and a greater sequence', async () => {
    const harness = await sent();
    const [first] = harness.events;
    await run(harness);
    for (let day = 0; day < 12 && harness.lines.length === 0; day++) {
      harness.clock.advance(DAY);
      await run(harness);
    }
    const [again] = harness.events;
    expect(again).toMatchObject({ kind: 'upsert', id: 'a', refresh: true, row: first!.row });
    expect(again!.event_id).not.toBe(first!.event_id);
    expect(again!.sequence > first!.sequence).toBe(true);
  });

  test('without the option no page is read again', async () => {
    const harness = await sent();
    harness.clock.advance(100 * DAY);
    await harness.later().runStream('assets');
    expect(harness.api.sent('/a')).toEqual(['c4']);
    expect(harness.table.refreshes.size).toBe(0);
  });

  test('a row that changed meanwhile is sent once, by its change', async () => {
    const harness = await sent();
    await run(harness);
    harness.api.on('/a', 'c4', answer([asset('a', { version: 2 })], 'c5')).on('/a', 'c5', answer([], null));
    harness.api.on('/a', undefined, answer([], 'c1'));
    const all = [...(await runs(harness, 5, 0.5)).values()].flat();
    expect(all.filter(each => each === 'upsert a')).toHaveLength(1);
  });

  test('a row that was removed is not revived, even where an old answer still shows it', async () => {
    const harness = await sent();
    await run(harness);
    harness.api.on('/a', 'c4', answer([tombstone('a', { version: 2 })], 'c5')).on('/a', 'c5', answer([], null));
    const all = [...(await runs(harness, 9.5, 0.5)).values()].flat();
    expect(all.filter(each => each.endsWith(' a'))).toEqual(['tombstone a']);
  });

  test('a row that an old answer shows in an earlier version is not sent', async () => {
    const harness = await sent();
    await run(harness);
    harness.api.on('/a', undefined, answer([asset('a', { version: 0 })], 'c1'));
    const all = [...(await runs(harness, 9.5, 0.5)).values()].flat();
    expect(all).toEqual(['upsert b', 'upsert c', 'upsert d']);
  });

  test('a row that the filter excludes is not sent', async () => {
    const harness = new Harness();
    const selections = { assets: { filter: "id != 'a'" } };
    harness.api.pages('/a', [[asset('a'), asset('b')], []]);
    await harness.runStream('assets', { selections });
    const all: string[] = [];
    for (let day = 0; day < 10; day++) {
      await run(harness, { selections });
      all.push(...harness.sent);
      harness.clock.advance(DAY);
    }
    expect(all).toEqual(['upsert b']);
  });

  test('a refresh that a kill interrupted before the row states is repeated under the same event_id', async () => {
    const harness = await sent();
    await run(harness);
    const seen: string[] = [];
    for (let day = 0; day < 8; day++) {
      harness.clock.advance(DAY);
      harness.later().journal.hook = step => {
        if (step === 'assets states') throw new Error('killed');
      };
      await harness.run({ only: ['assets'], refreshDays: 10 });
      seen.push(...harness.events.map(({ id, event_id }) => `${id} ${event_id}`));
    }
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(1);
    await run(harness);
    expect(harness.events.map(({ id, event_id }) => `${id} ${event_id}`)).toContain(seen[0]);
  });

  test('after a pause at most ten pages are read in one run, and none is skipped', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 25 }, (_, index) => `r${index}`);
    harness.api.pages('/a', [...ids.map(id => [asset(id)]), []]);
    await harness.runStream('assets');
    for (let count = 0; count < 4; count++) await run(harness);
    harness.clock.advance(30 * DAY);
    const sizes: number[] = [];
    for (let count = 0; count < 4; count++) {
      await run(harness);
      sizes.push(harness.sent.length);
    }
    // One page had been read on the day before the pause: the next pass begins with it.
    expect(sizes).toEqual([10, 10, 4, 1]);
  });

  test('the threats of a group are read before any of its streams is refreshed', async () => {
    const harness = await sent();
    harness.api.pages('/t', [[threat('t', 'a')], []]);
    await run(harness);
    harness.clock.advance(10 * DAY);
    await run(harness, { only: ['assets', 'threats'] });
    expect(harness.sent).toEqual(['upsert t', 'upsert a', 'upsert b', 'upsert c', 'upsert d']);
  });

  test('DNS blocks are events and are not sent again', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('x')], []]);
    await harness.runStream('dns-blocks');
    harness.clock.advance(100 * DAY);
    await run(harness, { only: ['dns-blocks'] });
    expect([harness.sent, harness.table.refreshes.size]).toEqual([[], 0]);
  });

  test('a refused cursor begins the pass again', async () => {
    const harness = await sent();
    await run(harness);
    harness.api.on('/a', 'gone', new CursorRefusedError('/a'));
    harness.table.refreshes.set('assets', {
      cursor: 'gone',
      started: harness.clock.now() - 4 * DAY,
      pages: 3,
      lastPages: 5,
    });
    const { failures } = await run(harness);
    expect([...failures.values()]).toEqual([]);
    expect(harness.table.refreshes.get('assets')).toMatchObject({ cursor: 'c2', pages: 2 });
  });
});
