import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { idTag, shortIdTag } from '../../../lambda/core/hashes.ts';
import { Window } from '../../../lambda/core/window.ts';

describe('the window', () => {
  test('keeps the fingerprints most recently read, oldest first', () => {
    const window = new Window([], 3);
    window.settle(['a', 'b', 'c', 'd']);
    window.settle(['e']);
    expect(window.snapshot()).toEqual(['c', 'd', 'e']);
    expect(['b', 'c'].map(each => window.has(each))).toEqual([false, true]);
  });

  test('a row read again stays longest', () => {
    const window = new Window(['b', 'c', 'd'], 3);
    window.settle(['b']);
    expect(window.snapshot()).toEqual(['c', 'd', 'b']);
    window.settle(['e', 'f']);
    expect(window.snapshot()).toEqual(['b', 'e', 'f']);
  });

  test('holds a whole page, even one beyond its capacity', () => {
    const window = new Window([], 2);
    window.settle(['a', 'b', 'c', 'd', 'e']);
    expect(window.snapshot()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('says whether there is something to save: a page read again brings nothing', () => {
    const window = new Window([], 4);
    expect(window.settle(['a', 'b'])).toBe(true);
    expect(window.settle(['b', 'a'])).toBe(false);
    expect(window.settle([])).toBe(false);
    expect(window.settle(['b', 'c'])).toBe(true);
  });

  test('a saved window larger than a new capacity is cut, which is something to save', () => {
    const window = new Window(['a', 'b', 'c'], 2);
    expect(window.settle(['c'])).toBe(true);
    expect(window.snapshot()).toEqual(['b', 'c']);
  });

  test('a row without a fingerprint is never known', () => {
    const window = new Window([], 2);
    expect(window.settle([undefined])).toBe(false);
    expect(window.has(undefined)).toBe(false);
    expect(window.snapshot()).toEqual([]);
  });

  test('forgets every version of the ids named, and of no other', () => {
    const print = (id: string, version: string) => shortIdTag(id) + version;
    const window = new Window([print('t1', 'v1'), print('t2', 'v1'), print('t1', 'v2')], 5);
    expect(window.forget(['t1'])).toBe(true);
    expect(window.snapshot()).toEqual([print('t2', 'v1')]);
    expect(window.forget(['t1'])).toBe(false);
  });

  test('holds, whatever was settled, the last `capacity` of what was read, each once', () => {
    const page = fc.array(fc.constantFrom(...'abcdefghij'), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(page, { maxLength: 12 }), pages => {
        const window = new Window([], 4);
        for (const each of pages) window.settle(each);
        const newestFirst = [...new Set(pages.flat().toReversed())];
        expect(window.snapshot().toReversed()).toEqual(newestFirst.slice(0, 4));
      }),
      { numRuns: 500 },
    );
  });
});

describe('the tag of an id', () => {
  test('is fourteen hexadecimal characters, for any id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), id => {
        expect(idTag(id)).toMatch(/^[0-9a-f]{14}$/);
        expect(idTag(id).endsWith(shortIdTag(id))).toBe(true);
      }),
    );
  });

  test('tells ten thousand alike ids apart, also by the part that fingerprints bear', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `asset-${index}`);
    expect(new Set(ids.map(idTag)).size).toBe(10_000);
    expect(new Set(ids.map(shortIdTag)).size).toBeGreaterThan(9_990);
  });
});
