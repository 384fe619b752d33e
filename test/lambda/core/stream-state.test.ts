import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { idTag, shortIdTag } from '../../../lambda/core/hashes.ts';
import {
  BEGINNING,
  forget,
  initialState,
  isUnconfirmed,
  remember,
  sameTags,
} from '../../../lambda/core/stream-state.ts';
import type { Intent } from '../../../lambda/ports.ts';

const windowOf = (...tags: string[]): ReadonlySet<string> => new Set(tags);

describe('the window', () => {
  test('the window keeps the version tags read last, oldest first', () => {
    const window = remember(remember(windowOf(), ['a', 'b', 'c', 'd'], 3), ['e'], 3);
    expect([...window]).toEqual(['c', 'd', 'e']);
  });

  test('the window keeps a row that is read again for longest', () => {
    const again = remember(windowOf('b', 'c', 'd'), ['b'], 3);
    expect([...again]).toEqual(['c', 'd', 'b']);
    expect([...remember(again, ['e', 'f'], 3)]).toEqual(['b', 'e', 'f']);
  });

  test('the window holds a whole page, even one beyond its capacity', () => {
    expect([...remember(windowOf(), ['a', 'b', 'c', 'd', 'e'], 2)]).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('the window is a value: remember and forget leave the window before as it was', () => {
    const before = windowOf('a', 'b');
    remember(before, ['c', 'd'], 2);
    forget(before, ['a']);
    expect([...before]).toEqual(['a', 'b']);
  });

  test('a page that is read again leaves the same tags in the window, so there is nothing to save', () => {
    const window = remember(windowOf(), ['a', 'b'], 4);
    expect(sameTags(remember(window, ['b', 'a'], 4), window)).toBe(true);
    expect(sameTags(remember(window, [], 4), window)).toBe(true);
    expect(sameTags(remember(window, ['b', 'c'], 4), window)).toBe(false);
  });

  test('a window that was saved with a larger capacity is cut, so there is something to save', () => {
    const saved = windowOf('a', 'b', 'c');
    const cut = remember(saved, ['c'], 2);
    expect([[...cut], sameTags(cut, saved)]).toEqual([['b', 'c'], false]);
  });

  test('the window never holds a row without a version tag', () => {
    expect([...remember(windowOf(), [undefined], 2)]).toEqual([]);
  });

  test('the window forgets every version of the ids named, and of no other', () => {
    const tag = (id: string, version: string) => shortIdTag(id) + version;
    const window = windowOf(tag('t1', 'v1'), tag('t2', 'v1'), tag('t1', 'v2'));
    const left = forget(window, ['t1']);
    expect([...left]).toEqual([tag('t2', 'v1')]);
    expect(forget(left, ['t1'])).toBe(left);
  });

  test('the window holds the last `capacity` rows that were read, each once', () => {
    const page = fc.array(fc.constantFrom(...'abcdefghij'), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(page, { maxLength: 12 }), pages => {
        const window = pages.reduce((before, each) => remember(before, each, 4), windowOf());
        const newestFirst = [...new Set(pages.flat().toReversed())];
        expect([...window].toReversed()).toEqual(newestFirst.slice(0, 4));
      }),
      { numRuns: 500 },
    );
  });
});

describe('unconfirmed ids', () => {
  const at = (count: number) => `000000000100000000${String(count).padStart(2, '0')}`;
  const intent = (sequence: string, ...ids: string[]): Intent => ({ sequence, idTags: ids.map(idTag) });
  const unconfirmed = (committed: string, ...intents: Intent[]) => {
    const state = initialState({ checkpoint: { ...BEGINNING, committed }, intents });
    return ['a', 'b', 'c'].filter(id => isUnconfirmed(state, id));
  };

  test('the ids of a page whose checkpoint was never saved are unconfirmed', () => {
    expect(unconfirmed(at(4), intent(at(5), 'a', 'b'))).toEqual(['a', 'b']);
  });

  test('the ids of an intent up to the committed sequence are confirmed', () => {
    expect(unconfirmed(at(5), intent(at(3), 'a'), intent(at(5), 'b'), intent(at(6), 'c'))).toEqual(['c']);
  });

  test('the ids of an intent without a sequence are unconfirmed, whatever was committed', () => {
    expect(unconfirmed(at(99), intent('', 'a'))).toEqual(['a']);
  });
});

describe('the tag of an id', () => {
  test('an id tag is fourteen hexadecimal characters, for any id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), id => {
        expect(idTag(id)).toMatch(/^[0-9a-f]{14}$/);
        expect(idTag(id).endsWith(shortIdTag(id))).toBe(true);
      }),
    );
  });

  test('id tags differ for ten thousand similar ids, also in the part that version tags begin with', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `asset-${index}`);
    expect(new Set(ids.map(idTag)).size).toBe(10_000);
    expect(new Set(ids.map(shortIdTag)).size).toBeGreaterThan(9_990);
  });
});
