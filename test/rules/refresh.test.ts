/**
 * Refresh: rows that exist are sent again before a SIEM forgets them, evenly, and nothing else is.
 */
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

/** An event, and when it was sent, in days since the beginning. */
interface Sent {
  readonly day: number;
  readonly id: string;
  readonly refresh: boolean;
}

/** A connector that runs on schedule for days, against a list of assets. */
class Schedule {
  readonly list = new ListApi();
  readonly harness = Object.assign(new Harness(), { source: this.list });
  readonly sent: Sent[] = [];
  /**
   * The day from which the waits are counted: the last one on which the schedule was resumed, or
   * the option was set.
   */
  since = 0;
  readonly #start = this.harness.clock.now();
  readonly #change: RunChange;

  constructor(change: RunChange = {}) {
    this.#change = { only: ['assets'], refreshDays: 10, pageLimit: 8, ...change };
  }

  get day(): number {
    return (this.harness.clock.now() - this.#start) / DAY;
  }

  async run(change: RunChange = {}): Promise<void> {
    const { failures } = await this.harness.later().run({ ...this.#change, ...change });
    this.sent.push(...this.harness.events.map(({ id, refresh = false }) => ({ day: this.day, id, refresh })));
    for (const failure of failures.values()) throw failure;
  }

  /** @param step between two runs */
  async days(count: number, change: RunChange = {}, step = 3 * HOUR): Promise<void> {
    for (const end = this.day + count; this.day < end; ) {
      this.harness.clock.advance(step);
      await this.run(change);
    }
  }

  /** The longest time that a listed row waited, in days, the time until now included. */
  longestWait(): number {
    const { since } = this;
    const sent = Map.groupBy(this.sent, ({ id }) => id);
    const waits = this.list.ids.map(id => {
      const days = [...(sent.get(id) ?? []).map(({ day }) => day), this.day];
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

/** Something that happens to the tenant or to the schedule. */
type Step = (schedule: Schedule) => unknown;

/** So many assets are added to the list. */
const lists =
  (count: number, from = 0): Step =>
  ({ list }) =>
    list.put(names(count, from), live);
const days =
  (...given: Parameters<Schedule['days']>): Step =>
  schedule =>
    schedule.days(...given);
const pauses: Step = schedule => {
  schedule.harness.clock.advance(60 * DAY);
  schedule.since = schedule.day;
};
const runsWithoutTheOption: Step = schedule => schedule.run({ refreshDays: undefined });
const shuffles: Step = ({ list }) => {
  const [ids] = fc.sample(fc.shuffledSubarray(names(120), { minLength: 120 }), { numRuns: 1, seed: 7 });
  list.put(ids!, live);
};
const refusesTheCursor: Step = ({ harness, list }) => {
  const { cursor: refused } = harness.table.checkpoint('assets').refresh!;
  list.check = ({ cursor }) => {
    if (cursor !== refused) return;
    list.check = () => undefined;
    throw new CursorRefusedError('/a');
  };
};

/** A third of the rows is due on a day: a pass takes 3.17. */
const EVEN = 0.4;
/** The largest part of the rows where a pass has to be begun again. */
const TWICE = 2 * EVEN;

describe('an even refresh of every row within `refreshDays`', () => {
  test.each<[what: string, steps: readonly Step[], change?: RunChange, largestDay?: number]>([
    [
      'when the tenant grows from 120 to 900 assets',
      [lists(120), days(14), lists(780, 120), days(25)],
      { pageLimit: 40 },
    ],
    ['throughout thirty days', [lists(120), days(30)]],
    ['with `refreshDays` 90', [lists(300), days(270, {}, 12 * HOUR)], { refreshDays: 90 }, EVEN / 9],
    ['when the tenant was empty at first', [days(2), lists(120), days(25)]],
    ['when the tenant grows from 1 to 41 assets', [lists(1), days(8), lists(40, 1), days(25)], { pageLimit: 3 }],
    ['when the page limit is lowered within a pass', [lists(80), days(8), days(22, { pageLimit: 1 })]],
    ['from the day on which the option is set', [lists(120), runsWithoutTheOption, pauses, days(25)]],
    ['after a pause of 60 days in the first pass', [lists(120), days(1), pauses, days(15)]],
    ['after a pause of 60 days in a later pass', [lists(120), days(9), pauses, days(15)]],
    ['after a pause of 60 days in a tenant of 21 assets', [lists(21), days(7), pauses, days(15)]],
    ['when the tenant fills just before a pause', [days(0.5), lists(80), days(0.5), pauses, days(15)]],
    ['when the tenant grows just before a pause', [lists(12), days(0.5), lists(68, 12), days(0.5), pauses, days(15)]],
    ...[1.5, 4.5, 8].map((day): [string, Step[], RunChange, number] => [
      `when every row is re-projected in another order on day ${day}`,
      [lists(120), days(day), shuffles, days(25)],
      {},
      TWICE,
    ]),
    ...[5, 8, 9.3].map((day): [string, Step[], RunChange, number] => [
      `when the API refuses the cursor of the pass on day ${day}`,
      [days(0.1), lists(120), days(day), refusesTheCursor, days(25)],
      {},
      TWICE,
    ]),
  ])('a refresh sends every row again in time %s', async (_what, steps, change = {}, largestDay = EVEN) => {
    const schedule = new Schedule(change);
    for (const step of steps) await step(schedule);
    expect(schedule.longestWait()).toBeLessThanOrEqual(change.refreshDays ?? 10);
    expect(schedule.largestDay()).toBeLessThan(largestDay);
  });

  test('a refresh sends every row again in time while a tenth of the rows changes each day', async () => {
    const schedule = new Schedule();
    schedule.list.put(names(80), live);
    for (let day = 0; day < 30; day++) {
      await schedule.days(1);
      schedule.list.put(names(8, (day * 28) % 72), changed);
    }
    expect(schedule.longestWait()).toBeLessThanOrEqual(10);
    // A row that changes within two passes is not repeated.
    for (const { id, day } of schedule.sent.filter(({ refresh }) => refresh)) {
      const before = schedule.sent.filter(event => event.id === id && event.day < day).map(event => event.day);
      expect(day - Math.max(...before)).toBeGreaterThan(3);
    }
  });
});

describe('a refresh', () => {
  test('a refresh begins only after the threats of its group have been read', async () => {
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

  test('a refresh ends at a repeated cursor, which is counted, and then another refresh begins', async () => {
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

  test('a refresh whose cursor is refused reads earlier pages again and continues', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], [asset('c')], [asset('d')], []]);
    await harness.runStream('assets');
    const refused = new CursorRefusedError('/a');
    harness.later().api.on('/a', 'c2', refused, answer([asset('c')], 'c3'));
    const { stalledCursors } = await harness.runStream('assets', { refreshDays: 10 });
    expect(stalledCursors).toBe(0);
    expect(harness.api.sent('/a').slice(0, 8)).toEqual(['c4', undefined, 'c1', 'c2', undefined, 'c1', 'c2', 'c3']);
  });

  test('a refresh does not send a row whose listed version differs from the stored version', async () => {
    const schedule = new Schedule();
    schedule.list.put(['a', 'b'], live);
    await schedule.run();
    schedule.harness.table.putState('assets', 'a', rowState());
    await schedule.days(10);
    expect(schedule.sent.slice(2).map(({ id }) => id)).toEqual(['b']);
  });

  test('a refresh does not send DNS blocks again, because they are events', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('x')], []]);
    for (let count = 0; count < 5; count++) {
      await harness.run({ only: ['dns-blocks'], refreshDays: 1 });
      harness.clock.advance(DAY);
    }
    expect(harness.sent).toEqual(['dns_block x']);
    expect(harness.table.checkpoint('dns-blocks').refresh).toBeUndefined();
  });
});
