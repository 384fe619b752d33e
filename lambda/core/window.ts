/** Where a walk stands after a group of pages: its cursors, and the window that recognizes the rows read last. */
import type { Checkpoint } from '../ports.ts';
import type { Stream } from '../streams.ts';
import type { ReadPage } from './read-pages.ts';

type Cursors = Pick<Checkpoint, 'cursor' | 'previous'>;

/** Saves the newest cursor that is not null (rule 1), unless it leads around a circle (rule 4). */
export function cursorsAfter(group: readonly Pick<ReadPage, 'sent' | 'next' | 'repeats'>[], before: Cursors): Cursors {
  return group.reduce(cursorsAfterPage, { cursor: before.cursor, previous: before.previous });
}

/**
 * The cursor that was sent has just worked, so it is the one to fall back to. Where the next one leads around a circle the cursor stays, and
 * the one that is not followed takes the place of the one before. For an hour later runs know it as followed, and stop after one page:
 *
 *     c1 → c2 → c3          saved: cursor c3, previous c2
 *     c1 → c2 → c3 → c1     saved: cursor c3, previous c1
 */
function cursorsAfterPage(
  { cursor, previous }: Cursors,
  { sent, next, repeats }: Pick<ReadPage, 'sent' | 'next' | 'repeats'>,
): Cursors {
  if (repeats) return { cursor: sent, previous: next === null || next === sent ? previous : next };
  const after = next ?? sent;
  return { cursor: after, previous: after === cursor ? previous : next === null ? undefined : sent };
}

/** Pages whose rows the window holds. */
const WINDOW_PAGES = 2;
/** Tags that the window keeps at most, where it is the only memory: two pages, and two more with which the walk began. */
const MOST_TAGS = 2_000;

export interface Window {
  readonly tags: readonly string[];
  /** Version tags of the last pages of this walk. */
  readonly pages: readonly (readonly string[])[];
}

/**
 * The window after a group of pages holds the rows of the last two pages that this walk has read. A window that has all of them stays as it
 * is, so that a poll without changes writes nothing.
 *
 *     window {a1 b1}, page [b1 c1]   →   window {b1 c1}
 *     window {b1 c1}, page [c1]      →   window {b1 c1}
 *
 * The window is the only memory of rows without states, such as DNS blocks. It is shortened only when a walk has read two pages to its end.
 *
 * @param tags of each page of the group
 * @param before version tags of the pages that this walk read before
 */
export function windowAfter(
  group: readonly Pick<ReadPage, 'next'>[],
  tags: readonly (readonly string[])[],
  before: readonly (readonly string[])[],
  { window }: Pick<Checkpoint, 'window'>,
  { hasRowStates }: Pick<Stream, 'hasRowStates'>,
): Window {
  const pages = [...before, ...tags].filter(page => page.length > 0).slice(-WINDOW_PAGES);
  const recent = [...new Set(pages.flat())];
  const known = new Set(window);
  const isShortened = !hasRowStates && group.at(-1)!.next === null && pages.length === WINDOW_PAGES;
  const isShorter = isShortened && recent.length < window.length;
  if (!isShorter && recent.every(tag => known.has(tag))) return { tags: window, pages };

  if (hasRowStates || isShortened) return { tags: recent, pages };
  const newest = new Set(recent);
  return { tags: [...window.filter(tag => !newest.has(tag)), ...recent].slice(-MOST_TAGS), pages };
}
