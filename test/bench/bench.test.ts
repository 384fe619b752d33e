import { beforeAll, describe, expect, test } from '@jest/globals';
import { billOf, type Counts, costTable, count, type Parts, partsOfTemplate, type Tenant } from '../../bench/cost.ts';
import type { Measurement } from '../../bench/figures.ts';
import { resultOf, table } from '../../bench/result.ts';

describe('the result of several runs', () => {
  const run = (value: number, floor: number): Measurement => ({ subject: 's', unit: 'ms', value, floor, target: 2 });

  test('is the median of the ratios, each against the floor of its own run', () => {
    const result = resultOf('f', [run(30, 10), run(10, 10), run(40, 20)]);
    expect(result).toMatchObject({ value: 30, floor: 10, ratio: 2, spread: 0.5, missed: false });
  });

  test('misses a target that its median exceeds', () => {
    const missed = (target: number, value: number) =>
      resultOf('f', [{ subject: 's', unit: 'calls', value, target }]).missed;
    expect([missed(4, 4), missed(4, 5), missed(0, 0), missed(0, 1)]).toEqual([false, true, false, true]);
  });

  test('is printed as a table with one line a result', () => {
    expect(table([resultOf('f', [run(30, 10)])]).split('\n')).toEqual([
      '| figure | of | value | floor | ratio | target     |',
      '| ------ | -- | ----- | ----- | ----- | ---------- |',
      '| f      | s  | 30 ms | 10    | 3.00  | ≤ 2 MISSED |',
    ]);
  });
});

describe('the bill of a tenant', () => {
  const tenant: Tenant = { name: 'busy', assets: 100, changes: 1_200, removals: 60, dnsBlocks: 30_000 };
  let counts: Counts;
  let parts: Parts;
  beforeAll(async () => {
    counts = await count(tenant, 2);
    parts = partsOfTemplate();
  });

  test('counts what the runs used: a unit for each changed row, two for each new threat, and all lines', () => {
    const { used, minutes, runsThatSent, metrics } = counts;
    const rows = minutes * (2 * 20 + 1 + 500);
    expect(runsThatSent).toBe(minutes);
    expect(used.writeUnits / minutes).toBeGreaterThan(50);
    expect(used.lineBytes / rows).toBeGreaterThan(300);
    expect(used.billedBytes).toBeGreaterThanOrEqual(used.lineBytes);
    expect(used.gzippedBytes).toBeLessThan(used.lineBytes);
    expect(metrics).toBe(9);
  });

  test('has the parts of the template, and sums them up', () => {
    expect(parts).toMatchObject({ compositeAlarms: 2, dashboards: 0, secrets: 1, memoryMegabytes: 1769 });
    const { together, 'filling up': once, ...bill } = billOf(tenant, counts, parts);
    expect(together).toBeCloseTo(Object.values(bill).reduce((sum, each) => sum + each, 0));
    expect(bill['CloudWatch alarms']).toBeCloseTo(parts.alarms * 0.1 + 1);
    expect(bill['Secrets Manager']).toBeCloseTo(0.4);
    expect(once).toBeGreaterThan(0);
    expect(once).toBeLessThan(0.01);
  });

  test('is printed with what was counted in a minute', () => {
    const printed = costTable([tenant], [counts], parts);
    expect(printed).toMatch(/^\| together +\| \d+\.\d\d +\|$/m);
    expect(printed).toMatch(/^\| DynamoDB write units a minute +\| \d+\.\d +\|$/m);
  });
});
