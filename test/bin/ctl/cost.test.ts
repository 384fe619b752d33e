/** What a bill is made of, without a process. */
import { describe, expect, test } from '@jest/globals';
import { estimateCost, monthOf, type Numbers } from '../../../bin/ctl/commands/cost/cost.ts';
import { billedBytes, FIGURES, type Use, usedLines } from '../../../bin/ctl/commands/cost/use.ts';
import { billedMilliseconds, type Counts, fixedParts } from '../../../lib/cost/bill.ts';
import { estimateCounts } from '../../../lib/cost/estimate.ts';
import { PRICES } from '../../../lib/cost/prices.ts';

test.each([
  ['2026-11-20T12:00:00Z', '2026-11', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['2026-12-31T23:59:59Z', '2026-12', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2028-02-01T00:00:00Z', '2028-02', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
])('%s is in the month of %s, in UTC', (now, name, start, end) => {
  expect(monthOf(Date.parse(now))).toEqual({ name, start: Date.parse(start), end: Date.parse(end) });
});

test.each([
  ['waiting as it was and work as it was, where the memory has a whole vCPU', { wall: 100, cpu: 40 }, 1769, 100],
  ['waiting as it was and work twice as long, at half of that memory', { wall: 100, cpu: 40 }, 884.5, 140],
  ['no more than one vCPU, however large the memory', { wall: 100, cpu: 40 }, 3538, 100],
  ['work alone, where it took longer than the clock of one thread shows', { wall: 10, cpu: 40 }, 1769, 40],
])('Lambda bills %s', (_what, counts, memoryMegabytes, expected) => {
  expect(billedMilliseconds(counts as Counts, memoryMegabytes)).toBe(expected);
});

test('a removal is estimated with its entry on the list, and a state and a child index item for each of its threats', () => {
  const estimate = (changes: number, removals: number) => {
    const streams = { assets: { stock: 500, changes, removals }, threats: { stock: 500, changes: 0 } };
    return estimateCounts({ name: 't', streams }, { rateMinutes: 1 });
  };
  const [change, removal] = [estimate(60, 0), estimate(0, 60)];
  // The list's entry is written and deleted; four threats an asset.
  expect(removal.writeUnits - change.writeUnits).toBeCloseTo(2 + 4 * 2);
  expect(removal.readUnits - change.readUnits).toBeCloseTo(1 + 4);
});

describe('the bill so far', () => {
  const use = (change: Partial<Use> = {}): Use => ({
    figures: { ...(Object.fromEntries(FIGURES.map(each => [each, 0])) as Use['figures']), writeUnits: 1_000_000 },
    tableBytes: 0,
    fixed: fixedParts(),
    metrics: 56,
    passed: 0.5,
    gathered: 0.5,
    ...change,
  });
  const lineOf = (part: string, price: string, of: Use) =>
    usedLines(of).find(each => each.part === part && each.price === price);

  test('is projected to the end of the month at the current rate', () => {
    expect(lineOf('DynamoDB', 'tableWriteUnit', use())).toMatchObject({
      quantity: 1_000_000,
      dollars: 0.625,
      projected: 1.25,
    });
  });

  test('has monthly prices in proportion to the passed share of the month, and in full at its end', () => {
    const { dollars, projected } = lineOf('CloudWatch metrics', 'metricMonth', use())!;
    expect([dollars, projected]).toEqual([expect.closeTo(8.4), expect.closeTo(16.8)]);
  });

  test('of a young stack has no days before its first run', () => {
    const young = use({ passed: 0.75, gathered: 0.25 });
    expect(lineOf('DynamoDB', 'tableWriteUnit', young)!.projected).toBeCloseTo(1.25);
    expect(lineOf('CloudWatch metrics', 'metricMonth', young)!.projected).toBeCloseTo(8.4);
  });

  test('of a stack that has never run has only monthly prices', () => {
    const idle = use({ figures: { ...use().figures, writeUnits: 0 }, gathered: 0 });
    const all = usedLines(idle);
    expect(all.every(({ dollars, projected }) => dollars === 0 && Number.isFinite(projected))).toBe(true);
  });

  test.each([
    [1, 100, 5_120],
    [10, 10 * 5_120, 10 * 5_120 + 25_600],
    [0, 0, 0],
  ])('rounds %i records of %i bytes to about %i', (records, bytes, billed) => {
    expect(billedBytes({ records, bytes })).toBe(billed);
  });
});

describe('an estimate', () => {
  const total = (numbers: Numbers) => estimateCost(numbers).lines.reduce((sum, { dollars }) => sum + dollars, 0);

  test.each([
    ['assets', { assets: 1_000_000 }],
    ['threats', { threats: 1_000_000 }],
    ['changes', { changesPerDay: 1_000_000 }],
    ['DNS blocks', { dnsBlocksPerDay: 1_000_000 }],
  ])('rises with the %s', (_what, numbers) => {
    const few = Object.fromEntries(Object.keys(numbers).map(name => [name, 1]));
    expect(total(numbers) + estimateCost(numbers).fillingUp).toBeGreaterThan(total(few) + 0.1);
  });

  test('without DNS blocks leaves out their metrics', () => {
    expect(total({ assets: 1, dnsBlocksPerDay: 1 }) - total({ assets: 1 })).toBeGreaterThan(
      2 * PRICES.metricMonth.dollars,
    );
  });

  test('of rarer runs is cheaper, and has as many rows to send', () => {
    const numbers = { assets: 1_000, threats: 1_000, changesPerDay: 50_000 };
    const [each, fifth] = [estimateCost(numbers), estimateCost({ ...numbers, rateMinutes: 5 })];
    const quantity = (of: typeof each, price: string) => of.lines.find(line => line.price === price)!.quantity;
    expect(quantity(fifth, 'lambdaRequest')).toBeCloseTo(quantity(each, 'lambdaRequest') / 5);
    expect(quantity(fifth, 'tableWriteUnit')).toBeLessThan(quantity(each, 'tableWriteUnit'));
    expect(quantity(fifth, 'tableWriteUnit')).toBeGreaterThan((50_000 * 365) / 12);
  });

  test('of nothing is finite', () => {
    expect(Number.isFinite(total({ assets: 0 }))).toBe(true);
  });
});
