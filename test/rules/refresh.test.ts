/** Refresh: rows that exist are sent again before a SIEM forgets them, evenly, and nothing else is. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CursorRefusedError } from '../../lambda/core/errors.ts';
import { ListApi } from '../support/core/api.ts';
import { Harness, type RunChange } from '../support/core/harness.ts';
import { rowState } from '../support/core/memory-table.ts';
import { answer, asset, dnsBlock, threat } from '../support/core/rows.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const names = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `r${from + index}`);
const live = (id: string, seq: number) => asset(id, { position: `${seq}` });
const changed = (id: string, seq: number) => asset(id, { version: seq, position: `${seq}` });

/** When something was sent, in days since the beginning. */
interface Sent {
  readonly day: number;
  readonly id: string;
  readonly kind: string;
  readonly refresh: boolean;
  readonly eventId: string;
}

/** A connector that runs on schedule for days, against a list of assets. */
class Schedule {
  readonly list = new ListApi();
  readonly harness = Object.assign(new Harness(), { source: this.list });
  readonly sent: Sent[] = [];
  readonly #start = this.harness.clock.now();
  readonly #change: RunChange;
  readonly #step: number;

  /** @param step between two runs */
  constructor(change: RunChange = {}, step = HOUR) {
    this.#change = { only: ['assets'], refreshDays: 10, pageLimit: 20, ...change };
    this.#step = step;
  }

  get day(): number {
    return (this.harness.clock.now() - this.#start) / DAY;
  }

  async run(change: RunChange = {}): Promise<readonly Sent[]> {
    const { failures } = await this.harness.later().run({ ...this.#change, ...change });
    const sent = this.harness.events.map(({ id, kind, refresh = false, event_id: eventId }) => {
      return { day: this.day, id, kind, refresh, eventId };
    });
    this.sent.push(...sent);
    for (const failure of failures.values()) throw failure;
    return sent;
  }

  async days(count: number, change: RunChange = {}): Promise<readonly Sent[]> {
    const from = this.sent.length;
    for (const end = this.day + count; this.day < end; ) {
      this.harness.clock.advance(this.#step);
      await this.run(change);
    }
    return this.sent.slice(from);
  }

  /** The longest time that a listed row waited, in days, the time until now included. @param since runs before do not count */
  longestWait(since = 0): number {
    const waits = this.list.ids.map(id => {
      const days = [...this.sent.filter(each => each.id === id).map(({ day }) => day), this.day];
      return Math.max(...days.slice(1).map((day, index) => (day > since ? day - Math.max(days[index]!, since) : 0)));
    });
    return Math.max(...waits);
  }

  /** The most rows that a refresh sent within a day, as a part of those that are listed. */
  largestDay(): number {
    const days = this.sent.filter(({ refresh }) => refresh).map(({ day }) => Math.floor(day));
    const counts = Map.groupBy(days, day => day);
    return Math.max(...[...counts.values()].map(({ length }) => length)) / this.list.ids.length;
  }
}

/** A third of the rows is due on a day: a pass takes 3.17. */
const EVEN = 0.4;

/** No row waits longer than `refreshDays` (10), and no day repeats more than its part of the rows. */
function expectEven(each: Schedule, { since = 0, largestDay = EVEN } = {}): void {
  expect(each.longestWait(since)).toBeLessThanOrEqual(10);
  expect(each.largestDay()).toBeLessThan(largestDay);
}

describe('every row is sent again within `refreshDays`, and evenly', () => {
  test.each([
    [10, HOUR],
    [90, 6 * HOUR],
  ])('every row is sent again in time with `refreshDays` %d', async (refreshDays, step) => {
    const each = new Schedule({ refreshDays }, step);
    each.list.put(names(300), live);
    await each.days(3 * refreshDays);
    expect(each.longestWait()).toBeLessThanOrEqual(refreshDays);
    expect(each.largestDay()).toBeLessThan((EVEN * 10) / refreshDays);
    // A row is repeated every second pass.
    expect(each.sent.length).toBeLessThanOrEqual((1 + (3 * refreshDays) / (2 * 0.316 * refreshDays)) * 300);
  });

  test('every row is sent again in time when the tenant grows from 300 to 2,300 assets', async () => {
    const each = new Schedule({ pageLimit: 100 }, 3 * HOUR);
    each.list.put(names(300), live);
    await each.days(14);
    each.list.put(names(2_000, 300), live);
    await each.days(25);
    expectEven(each);
  });

  test('every row is sent again in time when the tenant was empty at first', async () => {
    const each = new Schedule();
    await each.days(2);
    each.list.put(names(300), live);
    await each.days(25);
    expectEven(each);
  });

  test('every row is sent again in time when the tenant grows from 1 to 41 assets', async () => {
    const each = new Schedule({ pageLimit: 3 });
    each.list.put(names(1), live);
    await each.days(8);
    each.list.put(names(40, 1), live);
    await each.days(25);
    expectEven(each);
  });

  test('every row is sent again in time when the page limit is lowered within a pass', async () => {
    const each = new Schedule();
    each.list.put(names(400), live);
    await each.days(8);
    await each.days(22, { pageLimit: 2 });
    expectEven(each);
  });

  test.each([1.5, 4.5, 8])(
    'every row is sent again in time when every row is re-projected in another order on day %d',
    async day => {
      const each = new Schedule();
      each.list.put(names(300), live);
      await each.days(day);
      const shuffled = fc.sample(fc.shuffledSubarray(names(300), { minLength: 300 }), { numRuns: 1, seed: 7 })[0]!;
      each.list.put(shuffled, live);
      await each.days(25);
      expectEven(each, { largestDay: 2 * EVEN });
    },
  );

  test('every row is sent again in time while a tenth of the rows changes each day', async () => {
    const each = new Schedule();
    each.list.put(names(200), live);
    for (let day = 0; day < 30; day++) {
      await each.days(1);
      each.list.put(names(20, (day * 70) % 180), changed);
    }
    expectEven(each);
    // What changes within two passes is not repeated.
    const repeats = each.sent.filter(({ refresh }) => refresh);
    for (const { id, day } of repeats) {
      const before = each.sent.filter(other => other.id === id && other.day < day).map(other => other.day);
      expect(day - Math.max(...before)).toBeGreaterThan(3);
    }
  });

  test.each([
    [300, 1],
    [300, 9],
    [21, 7],
  ])('every row is sent again in time after a pause of 60 days (%d assets, day %d)', async (count, day) => {
    const each = new Schedule();
    each.list.put(names(count), live);
    await each.days(day);
    each.harness.clock.advance(60 * DAY);
    const resumed = each.day;
    await each.days(15);
    expectEven(each, { since: resumed });
  });

  test.each([5, 8, 9.3])('every row is sent again in time when the API refuses its cursor on day %d', async day => {
    const each = new Schedule();
    await each.days(0.1);
    each.list.put(names(300), live);
    await each.days(day);
    const refused = each.harness.table.checkpoint('assets').refresh!.cursor;
    let refusals = 0;
    each.list.check = ({ cursor }) => {
      if (cursor === refused && refusals++ === 0) throw new CursorRefusedError('/a');
    };
    await each.days(25);
    expect(refusals).toBeGreaterThan(0);
    expectEven(each, { largestDay: 2 * EVEN });
  });

  test.each([0, 30])(
    'after a pause of 60 days, when the tenant has grown from %d to 200 assets just before',
    async count => {
      const each = new Schedule();
      each.list.put(names(count), live);
      await each.days(0.5);
      each.list.put(names(200 - count, count), live);
      await each.days(0.5);
      each.harness.clock.advance(60 * DAY);
      const resumed = each.day;
      await each.days(15);
      expectEven(each, { since: resumed });
    },
  );

  test('old rows are sent again evenly from the day on which the option is set', async () => {
    const each = new Schedule();
    each.list.put(names(300), live);
    await each.run({ refreshDays: undefined });
    expect(each.harness.table.checkpoint('assets').refresh).toBeUndefined();
    each.harness.clock.advance(100 * DAY);
    const set = each.day;
    await each.days(25);
    expectEven(each, { since: set });
  });
});

describe('a refresh', () => {
  /** The SIEM has these assets, and three passes have passed. */
  async function due(ids: readonly string[], change: RunChange = {}): Promise<Schedule> {
    const each = new Schedule(change);
    each.list.put(ids, live);
    await each.run();
    return each;
  }

  test('a refresh says so, has an event_id of its own, and a greater sequence', async () => {
    const each = await due(['a']);
    const [first] = each.harness.events;
    while ((await each.days(1 / 24)).length === 0);
    const [again] = each.harness.events;
    expect(again).toMatchObject({ kind: 'upsert', id: 'a', refresh: true, row: first!.row });
    expect(again!.event_id).not.toBe(first!.event_id);
    expect(again!.sequence > first!.sequence).toBe(true);
  });

  test('a row that changed meanwhile is sent once, by its change', async () => {
    const each = await due(['a', 'b']);
    await each.days(6);
    each.list.put(['a'], changed);
    const sent = await each.days(3.5);
    expect(sent.map(({ id, refresh }) => `${id} ${refresh}`).toSorted()).toEqual(['a false', 'b true']);
  });

  test.each<[string, (each: Schedule) => void]>([
    ['that was removed', ({ harness }) => harness.table.putState('assets', 'a', rowState({ status: 'removed' }))],
    ['in an earlier version than the SIEM has', ({ harness }) => harness.table.putState('assets', 'a', rowState())],
  ])('a row %s is not sent, even where an old answer still shows it', async (_which, change) => {
    const each = await due(['a', 'b']);
    change(each);
    expect((await each.days(10)).map(({ id }) => id)).toEqual(['b']);
  });

  test('a row that the filter excludes is not sent', async () => {
    const each = await due(['a', 'b'], { filters: { assets: { filter: "id != 'a'" } } });
    expect((await each.days(10)).map(({ id }) => id)).toEqual(['b']);
  });

  test('the threats of a group are read before any of its streams is refreshed', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')]]).pages('/t', [[]]);
    const run = () => harness.later().run({ only: ['assets', 'threats'], refreshDays: 1 });
    await run();
    const both: string[] = [];
    for (let hour = 1; hour < 36; hour++) {
      harness.clock.advance(HOUR);
      harness.api.pages('/t', [[threat(`t${hour}`, 'a')]]);
      await run();
      if (harness.sent.includes('upsert a')) both.push(harness.sent.join(', '));
    }
    expect(both.length).toBeGreaterThan(0);
    for (const sent of both) expect(sent).toMatch(/^upsert t\d+, upsert a$/);
  });

  test('a pass that leads around a circle ends and is counted, and another pass begins', async () => {
    const harness = new Harness();
    const page = (id: string, next: string | null) => answer([asset(id)], next);
    harness.api.on('/a', undefined, page('a', 'c1')).on('/a', 'c1', page('b', 'c2')).on('/a', 'c2', page('c', 'c3'));
    harness.api.on('/a', 'c3', page('d', null));
    await harness.runStream('assets');
    // The walk is behind the circle.
    harness.later().api.on('/a', 'c2', page('c', 'c1'));
    const results = [];
    for (let run = 0; run < 3; run++) results.push(await harness.runStream('assets', { refreshDays: 10 }));
    expect(results.map(({ caughtUp, stalledCursors }) => [caughtUp, stalledCursors])).toEqual([
      [true, 1],
      [true, 0],
      [true, 0],
    ]);
    expect(harness.api.sent('/a').length).toBeLessThan(12);
    expect(harness.warnings).toEqual([expect.stringContaining('leads back')]);
  });

  test('a pass whose cursor is refused reads earlier pages again, and continues', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], [asset('c')], [asset('d')], []]);
    await harness.runStream('assets');
    const refused = new CursorRefusedError('/a');
    harness.later().api.on('/a', 'c2', refused, answer([asset('c')], 'c3'));
    const { stalledCursors } = await harness.runStream('assets', { refreshDays: 10 });
    expect([stalledCursors, harness.api.sent('/a').slice(0, 8)]).toEqual([
      0,
      ['c4', undefined, 'c1', 'c2', undefined, 'c1', 'c2', 'c3'],
    ]);
  });

  test('DNS blocks are events and are not sent again', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('x')], []]);
    for (let count = 0; count < 5; count++) {
      await harness.run({ only: ['dns-blocks'], refreshDays: 1 });
      harness.clock.advance(DAY);
    }
    expect([harness.sent, harness.table.checkpoint('dns-blocks').refresh]).toEqual([['dns_block x'], undefined]);
  });
});
