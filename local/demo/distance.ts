/** How far the SIEM's copy is from the data, row by row. Pure. */
import type { StreamName } from '../../lambda/streams.ts';
import { content } from '../rows/lossless.ts';

/** By stream and id, the row as JSON text. */
export type Rows = Readonly<Record<string, ReadonlyMap<string, string>>>;

/** What the SIEM holds of a row: the event with the greatest `sequence`. */
export interface HeldEvent {
  readonly stream: string;
  readonly id: string;
  readonly kind: string;
  /** Absent where the event carries no row. */
  readonly row?: string;
}

export type Difference =
  /** Missing in the SIEM. */
  | 'missing'
  /** The SIEM has an older version. */
  | 'different'
  /** Removed at the API, and still in the SIEM. */
  | 'extra';

export interface StreamDistance {
  readonly rows: number;
  /** Rows that exist according to the copy. */
  readonly held: number;
  readonly differences: ReadonlyMap<string, Difference>;
}

/**
 * Compares to the last digit, `stream_position` aside, which changes when a row is delivered again unchanged.
 *
 * A tombstone of an asset that the SIEM never had does not count. A removed asset is equal when the SIEM has its tombstone.
 */
export function distances(
  truth: Rows,
  copy: Iterable<HeldEvent>,
  sameContent: (one: string, other: string) => boolean = isSameContent,
): Map<string, StreamDistance> {
  const held = new Map(Object.keys(truth).map(stream => [stream, new Map<string, HeldEvent>()]));
  for (const event of copy) held.get(event.stream)?.set(event.id, event);
  return new Map(
    Object.entries(truth).map(([stream, rows]) => [stream, streamDistance(rows, held.get(stream)!, sameContent)]),
  );
}

function streamDistance(
  rows: ReadonlyMap<string, string>,
  held: ReadonlyMap<string, HeldEvent>,
  sameContent: (one: string, other: string) => boolean,
): StreamDistance {
  const differences = new Map<string, Difference>();
  let live = 0;
  let present = 0;
  for (const [id, row] of rows) {
    const event = held.get(id);
    const removed = isTombstone(row);
    if (!removed) live += 1;
    if (!event) {
      if (!removed) differences.set(id, 'missing');
    } else if (removed !== isGone(event) || event.row === undefined || !sameContent(row, event.row)) {
      differences.set(id, removed ? 'extra' : isGone(event) ? 'missing' : 'different');
    }
  }
  for (const event of held.values()) {
    if (isGone(event)) continue;
    present += 1;
    if (!rows.has(event.id)) differences.set(event.id, 'extra');
  }
  return { rows: live, held: present, differences };
}

function isGone({ kind }: HeldEvent): boolean {
  return kind === 'tombstone' || kind === 'withdrawn';
}

/** The API simulator writes the members of a removed asset in a fixed order. */
function isTombstone(row: string): boolean {
  return row.includes('"deleted":true') && JSON.parse(row).deleted === true;
}

/** Compares the texts first. Unchanged rows have equal texts, and are not parsed. */
function isSameContent(one: string, other: string): boolean {
  const bare = (row: string) => row.replace(/,"stream_position":"[^"]*"/, '');
  return bare(one) === bare(other) || content(one) === content(other);
}

export type Change = 'new' | 'changed' | 'removed' | 'restored';

export interface RowChange {
  readonly stream: StreamName;
  readonly id: string;
  readonly change: Change;
  /** The row after the change. Absent when no list has it any more. */
  readonly row: string | undefined;
}

/** Changes of the data between two snapshots, ignoring `stream_position`. */
export function changesBetween(before: Rows, after: Rows): RowChange[] {
  return Object.entries(after).flatMap(([stream, rows]) => {
    const former = before[stream] ?? new Map<string, string>();
    const changes: RowChange[] = [];
    const add = (id: string, change: Change, row?: string): void => {
      changes.push({ stream: stream as StreamName, id, change, row });
    };
    for (const [id, row] of rows) {
      const was = former.get(id);
      if (was === row) continue;
      if (was === undefined) add(id, 'new', row);
      else if (isTombstone(row)) add(id, 'removed', row);
      else add(id, isTombstone(was) ? 'restored' : 'changed', row);
    }
    for (const id of former.keys()) if (!rows.has(id)) add(id, 'removed');
    return changes;
  });
}
