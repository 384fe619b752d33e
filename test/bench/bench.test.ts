import { describe, expect, test } from '@jest/globals';
import { summarize, table } from '../../bench/figure.ts';
import { FIGURES } from '../../bench/figures.ts';

describe('a figure of the benchmark, at its smallest', () => {
  test.each(FIGURES.map(figure => [figure.name, figure] as const))(
    '%s has a value for each subject, and a floor that it can be compared with',
    async (name, figure) => {
      const readings = await figure.measure('tiny');
      expect(readings.length).toBeGreaterThan(0);
      for (const { subject, value, floor, unit, target } of readings) {
        expect([subject, unit]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
        expect(value).toBeGreaterThanOrEqual(0);
        if (floor !== undefined) expect(floor).toBeGreaterThan(0);
        if (target !== undefined) expect(target).toBeGreaterThanOrEqual(0);
      }
      expect(new Set(readings.map(each => each.subject)).size).toBe(readings.length);
      expect(summarize(name, [readings])).toHaveLength(readings.length);
    },
    20_000,
  );
});

describe('the result of several runs', () => {
  const run = (value: number, floor: number) => [{ subject: 's', unit: 'ms', value, floor, target: 2 }];

  test('is the median of the ratios, each against the floor of its own run', () => {
    expect(summarize('f', [run(30, 10), run(10, 10), run(40, 20)])).toEqual([
      {
        figure: 'f',
        subject: 's',
        unit: 'ms',
        runs: 3,
        value: 30,
        floor: 10,
        compared: 2,
        spread: 0.5,
        target: 2,
        met: true,
      },
    ]);
  });

  test('misses a target that its median exceeds, and a target of nothing by one', () => {
    const missed = (target: number, value: number) =>
      summarize('f', [[{ subject: 's', unit: 'calls', value, target }]])[0]!.met;
    expect([missed(4, 4), missed(4, 5), missed(0, 0), missed(0, 1)]).toEqual([true, false, true, false]);
  });

  test('is printed as a table with one line a result', () => {
    expect(table(summarize('f', [run(30, 10)])).split('\n')).toEqual([
      'figure  subject  value  floor  unit  ratio  ±  target',
      'f       s        30     10     ms    3.00      ≤ 2     MISSED',
    ]);
  });
});
