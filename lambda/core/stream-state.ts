/**
 * What a run knows of one stream while it reads it: a value. `decide` takes one and returns the next, nothing changes in place.
 *
 * The window holds the version tags of the rows read last, so that the page that every poll reads again costs no look-up. With room
 * for four tags:
 *
 *     window {a1 b1 c1}, page [c1 d1]     →  {a1 b1 c1 d1}     c1 is in the window: not looked up, not sent
 *     then page [d1 e1]                   →  {b1 c1 d1 e1}     the oldest tag makes room
 *     then b changes: page [e1 b2]        →  {c1 d1 e1 b2}     b was sent, so every older version of b is forgotten:
 *     then page [b2 b1]                   →   b1 is looked up, differs from what was sent last (b2), and is sent again
 *
 * The window is not emptied when the cursor moves, because a later answer may cut the same rows into other pages.
 */
import type { Checkpoint, Intent, RowState, SavedStream, StoredState } from '../ports.ts';
import { idTag, SHORT_TAG, shortIdTag } from './hashes.ts';

export interface StreamState {
  /** As of the last page that was decided. Its window is `window`. */
  readonly checkpoint: Omit<Checkpoint, 'window'>;
  /** Version tags of the rows read last, oldest first. */
  readonly window: ReadonlySet<string>;
  /** Tags of ids that an earlier run may have sent although no row state says so. */
  readonly unconfirmed: ReadonlySet<string>;
  /** Row states that the last page decided. They may not be in the table yet. */
  readonly staged: ReadonlyMap<string, RowState>;
  /** The intent of the last page that sent something. */
  readonly intent: Intent | undefined;
  /** Ids of the listed removals. Absent until a page needs them. */
  readonly listed?: ReadonlySet<string> | undefined;
}

/** The checkpoint of a stream that was never read. */
export const BEGINNING: Checkpoint = {
  cursor: undefined,
  previous: undefined,
  window: [],
  generation: 0,
  names: {},
  committed: '',
  selection: '',
  repairing: false,
};

/**
 * Intents up to the committed `sequence` are void. The ids of every other one are unconfirmed:
 *
 *     committed 5, intents [3: a] [6: b c] [–: d]   →   unconfirmed b c d
 */
export function initialState({ checkpoint: { window, ...checkpoint }, intents }: SavedStream): StreamState {
  const open = intents.filter(({ sequence }) => sequence === '' || sequence > checkpoint.committed);
  return {
    checkpoint,
    window: new Set(window),
    unconfirmed: new Set(open.flatMap(({ idTags }) => idTags)),
    staged: new Map(),
    intent: undefined,
  };
}

/** What the table keeps of a state. */
export function toCheckpoint({ checkpoint, window }: StreamState): Checkpoint {
  return { ...checkpoint, window: [...window] };
}

/** Whether the SIEM may have an event of this id that no row state knows of. */
export function isUnconfirmed({ unconfirmed }: Pick<StreamState, 'unconfirmed'>, id: string): boolean {
  return unconfirmed.size > 0 && unconfirmed.has(idTag(id));
}

/** The set without these; the same one where it held none. */
export function without(set: ReadonlySet<string>, removed: readonly string[]): ReadonlySet<string> {
  if (set.size === 0) return set;
  const left = new Set(set);
  for (const each of removed) left.delete(each);
  return left;
}

/** Stands for a damaged row state while a resync repairs the stream: known, so that removals are sent, and equal to no row. */
export const DAMAGED: RowState = {
  rowHash: '',
  generation: -1,
  removed: false,
  parent: undefined,
  sequence: '',
  forwardedAt: '',
  revision: '',
};

/** @throws StateDamagedError unless a resync is repairing the stream */
export function readable(stored: StoredState | undefined, repairing: boolean): RowState | undefined {
  if (!(stored instanceof Error)) return stored;
  if (repairing) return DAMAGED;
  throw stored;
}

/** Adds the tags of a page, the newest last. Keeps `capacity` of them, or the whole page when that is more. */
export function remember(
  window: ReadonlySet<string>,
  tags: readonly (string | undefined)[],
  capacity: number,
): ReadonlySet<string> {
  const next = new Set(window);
  for (const tag of tags) {
    if (tag === undefined) continue;
    // A Set keeps the order of insertion: a tag that is seen again becomes the newest.
    next.delete(tag);
    next.add(tag);
  }
  const most = Math.max(capacity, tags.length);
  for (const oldest of next) {
    if (next.size <= most) break;
    next.delete(oldest);
  }
  return next;
}

/** Forgets every version of these ids, so that one that comes back unchanged is looked up. Returns the same window if it knew none. */
export function forget(window: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  if (ids.length === 0 || window.size === 0) return window;
  const tags = new Set(ids.map(shortIdTag));
  const kept = [...window].filter(tag => !tags.has(tag.slice(0, SHORT_TAG)));
  return kept.length === window.size ? window : new Set(kept);
}

/** Whether two windows hold the same tags, in whatever order. */
export function sameTags(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size !== other.size) return false;
  for (const tag of one) if (!other.has(tag)) return false;
  return true;
}
