/** Parts of the page that need no browser. test/outside/browser has the page itself. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

const PAGE = new URL('../../../local/demo/page/', import.meta.url);
const { scaleTop } = (await import(new URL('format.js', PAGE).href)) as { scaleTop(values: readonly number[]): number };

describe('the page of the demo', () => {
  test('a line has the scale of its last half hour, so that one spike does not flatten it for longer', () => {
    const quiet = Array.from({ length: 30 }, () => 10);
    expect(scaleTop([1_000, ...quiet])).toBeCloseTo(11);
    expect(scaleTop([...quiet, 1_000])).toBeCloseTo(1_100);
    expect(scaleTop([0])).toBe(1);
  });

  test.each(['light', 'dark'])('no two lines of a %s chart have one colour', theme => {
    const script = readFileSync(new URL('charts.js', PAGE), 'utf8');
    const colors = new RegExp(`${theme}: \\[([^\\]]*)\\]`).exec(script)![1]!.match(/#[0-9a-f]{6}/g)!;
    expect(colors.length).toBeGreaterThan(10);
    expect(new Set(colors).size).toBe(colors.length);
  });
});
