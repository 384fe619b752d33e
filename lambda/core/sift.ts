/** Which rows of a page need a decision: of several with one id the last, and none that the window knows. */
import type { StreamRun } from './draining.ts';
import type { WalkedPage } from './read-pages.ts';
import { type BadRow, type Row, readRow } from './row.ts';

export interface SiftedRows {
  /** Rows that the window does not know, one an id. */
  readonly unknown: Row[];
  readonly bad: BadRow[];
  readonly swallowed: number;
  readonly superseded: number;
  /** Of all rows, also of those that a later row of the page superseded. */
  readonly versionTags: (string | undefined)[];
}

export function sift({ rows: elements }: WalkedPage, { stream, memory, run }: StreamRun): SiftedRows {
  const last = new Map<string, Row>();
  const bad = new Map<string, BadRow>();
  const versionTags: (string | undefined)[] = [];
  for (const element of elements) {
    const row = readRow(element, stream, run.hash);
    versionTags.push(row.versionTag);
    if ('reason' in row) bad.set(row.rowHash, row);
    else {
      last.delete(row.id);
      last.set(row.id, row);
    }
  }
  // Of an id in doubt the SIEM may hold another version than the window: it is sent again, whatever the window knows.
  const unknown = [...last.values()].filter(
    row => !memory.window.has(row.versionTag) || memory.intents.isUnconfirmed(row.id),
  );
  const unknownBad = [...bad.values()].filter(row => !memory.window.has(row.versionTag));
  const swallowed = last.size - unknown.length + bad.size - unknownBad.length;
  return { unknown, bad: unknownBad, swallowed, superseded: elements.length - last.size - bad.size, versionTags };
}
