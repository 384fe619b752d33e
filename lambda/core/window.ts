/**
 * Computes where a walk stands after a group of pages: its cursors, and the window that recognizes
 * the rows that were read last.
 */
import type { Checkpoint } from '../ports.ts';
import type { Stream } from '../streams.ts';
import type { ReadPage } from './read-pages.ts';

type Cursors = Pick<Checkpoint, 'cursor' | 'previous'>;

/**
 * Returns the cursors to save. The newest cursor that is not null is saved, unless it leads around
 * a circle.
 */
export function cursorsAfter(group: readonly Pick<ReadPage, 'sent' | 'next' | 'repeats'>[], before: Cursors): Cursors {
  return group.reduce(cursorsAfterPage, { cursor: before.cursor, previous: before.previous });
}

/**
 * Moves the cursors past a page. The cursor of the request has just worked, so it becomes the
 * fallback. If the next cursor leads around a circle, `cursor` stays at the request, and `previous`
 * becomes the next cursor, which is not followed. For an hour, later runs treat that cursor as
 * followed, and stop after one page:
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

/** Number of pages whose rows the window holds. */
const WINDOW_PAGES = 2;
/**
 * Largest number of tags of a window that is the only memory of its stream. It is enough for the
 * last two pages, and for two earlier pages with which the walk began.
 */
const MOST_TAGS = 2_000;

export interface RowWindow {
  readonly tags: readonly string[];
  /** Version tags of the last pages of this walk. */
  readonly pages: readonly (readonly string[])[];
}

/**
 * Computes the window after a group of pages. It holds the rows of the last two pages that this
 * walk has read. A window that already holds all of them is not changed, so that a poll without
 * changes writes nothing.
 *
 *     window {a1 b1}, page [b1 c1]   →   window {b1 c1}
 *     window {b1 c1}, page [c1]      →   window {b1 c1}
 *
 * The window is the only memory of rows without states, such as DNS blocks. Therefore it is
 * shortened only when a walk has read two pages and the end of the stream.
 *
 * @param tags version tags of each page of the group
 * @param before version tags of the pages that this walk read before
 */
export function windowAfter(
  group: readonly Pick<ReadPage, 'next'>[],
  tags: readonly (readonly string[])[],
  before: readonly (readonly string[])[],
  { window }: Pick<Checkpoint, 'window'>,
  { hasRowStates }: Pick<Stream, 'hasRowStates'>,
): RowWindow {
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
