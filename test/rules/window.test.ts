/** Where a walk stands after a group of pages, and which rows the next one recognizes. */
import { describe, expect, test } from '@jest/globals';
import { cursorsAfter, windowAfter } from '../../lambda/core/window.ts';
import { ASSETS, DNS_BLOCKS } from '../support/core/streams.ts';

/**
 * Pages as `<sent> → <next>`; `-` is the beginning or the end, and `!` a cursor that was followed
 * before.
 */
const pagesOf = (text: string) =>
  text.split(', ').map(page => {
    const [sent, next = ''] = page.split(' → ');
    const cursor = next.replace('!', '');
    return { sent: sent === '-' ? undefined : sent, next: cursor === '-' ? null : cursor, repeats: next.endsWith('!') };
  });

/** Rule 1: the newest cursor that is not null is saved. */
test.each([
  // cursor and previous, the pages, cursor and previous
  ['- -', '- → -', '- -'],
  ['- -', '- → c1, c1 → c2, c2 → -', 'c2 c1'],
  ['c2 c1', 'c2 → -', 'c2 c1'],
  ['c2 c1', 'c2 → c3', 'c3 c2'],
  // The fallback has worked, so the cursor that was refused is nowhere any more.
  ['c3 c2', 'c2 → c4', 'c4 c2'],
  ['c3 c2', 'c2 → -', 'c2 -'],
  ['c3 c2', '- → -', '- -'],
  // A circle: the cursor that leads back is remembered as the one before.
  ['- -', '- → c1, c1 → c2, c2 → c1!', 'c2 c1'],
  ['c2 c1', 'c2 → c1!', 'c2 c1'],
  ['c2 c1', 'c2 → c2!', 'c2 c1'],
])('the cursor and previous cursor %j become, after the pages %j, the cursors %j', (before, pages, after) => {
  const [cursor, previous] = before.split(' ').map(each => (each === '-' ? undefined : each));
  const saved = cursorsAfter(pagesOf(pages), { cursor, previous });
  expect(`${saved.cursor ?? '-'} ${saved.previous ?? '-'}`).toBe(after);
});

describe('the window', () => {
  /**
   * @param pages of one walk: rows of each, the last one with `.` when the walk ends there. Each
   * page is a group.
   */
  function walked(pages: readonly string[], window: readonly string[], stream: { readonly hasRowStates: boolean }) {
    let before: readonly (readonly string[])[] = [];
    let tags = window;
    for (const page of pages) {
      const rows = page.replace('.', '').split(' ').filter(Boolean);
      const after = windowAfter([{ next: page.endsWith('.') ? null : 'c' }], [rows], before, { window: tags }, stream);
      before = after.pages;
      tags = after.tags;
    }
    return tags;
  }

  test.each([
    // the window before, the pages of the walk, the window after: of rows with states, of DNS
    // blocks
    ['', 'a b|c.', 'a b c', 'a b c'],
    ['', 'a b|c|d e|.', 'c d e', 'c d e'],
    // A window that has all rows stays, so that a quiet poll writes nothing.
    ['a b', 'b.', 'a b', 'a b'],
    ['a b', '.', 'a b', 'a b'],
    // A walk of one page leaves the page before it only where the window is the only memory.
    ['a b', 'b c.', 'b c', 'a b c'],
    ['a b', 'c', 'c', 'a b c'],
    ['a b', 'b|c', 'b c', 'a b c'],
    ['a b', 'b|c.', 'b c', 'b c'],
    // A page that was cut again under a smaller limit.
    ['a b c', 'a|b|c d.', 'b c d', 'b c d'],
    // A row twice counts once, at its last place.
    ['', 'a b|b a.', 'a b', 'a b'],
  ])('the window %j, after the pages %j, is %j for assets and %j for DNS blocks', (before, pages, states, blocks) => {
    const window = before.split(' ').filter(Boolean);
    expect(walked(pages.split('|'), window, ASSETS).join(' ')).toBe(states);
    expect(walked(pages.split('|'), window, DNS_BLOCKS).join(' ')).toBe(blocks);
  });

  test('an unchanged window stays the same array, so that it is not encoded again', () => {
    const window = ['a', 'b'];
    expect(walked(['b.'], window, ASSETS)).toBe(window);
  });

  test('the window of DNS blocks is limited to the newest 2,000 blocks during a walk', () => {
    const page = (from: number) => Array.from({ length: 500 }, (_, index) => `d${from + index}`).join(' ');
    const tags = walked([0, 500, 1_000, 1_500, 2_000].map(page), [], DNS_BLOCKS);
    expect(tags.length).toBe(2_000);
    expect(tags[0]).toBe('d500');
    expect(tags.at(-1)).toBe('d2499');
  });
});
