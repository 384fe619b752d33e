import { beforeAll, describe, expect, test } from '@jest/globals';
import { FIGURES, type Measurement } from '../../bench/figures.ts';

describe('a figure of the benchmark, at its smallest', () => {
  const measured = new Map<string, readonly Measurement[]>();
  beforeAll(async () => {
    for (const { name, measure } of FIGURES) measured.set(name, await measure('tiny'));
  });

  test.each(FIGURES.map(({ name }) => name))(
    'the benchmark %s has a value for each subject, and a floor as the reference',
    name => {
      const all = measured.get(name)!;
      expect(new Set(all.map(({ subject }) => subject)).size).toBe(all.length);
      for (const { value, floor = 1 } of all) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(floor).toBeGreaterThan(0);
      }
    },
  );

  test('a quiet run makes exactly the number of calls that its target states', () => {
    const withTarget = measured.get('tick')!.filter(({ target }) => target !== undefined);
    expect(withTarget.map(({ value }) => value)).toEqual(withTarget.map(({ target }) => target));
  });
});
