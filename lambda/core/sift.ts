/** Which rows of a page need a decision: of several with one id the last, and none that the window knows. */
import type { Draining } from './draining.ts';
import { type BadRow, type Row, readRow } from './row.ts';
import type { WalkedPage } from './walk.ts';

export interface SiftedRows {
  /** Rows that the window does not know, one an id. */
  readonly unknown: Row[];
  readonly bad: BadRow[];
  readonly swallowed: number;
  readonly superseded: number;
  /** Of all rows, also of those that a later row of the page superseded. */
  readonly fingerprints: (string | undefined)[];
}

export function sift({ rows: elements }: WalkedPage, { stream, memory, run }: Draining): SiftedRows {
  const last = new Map<string, Row>();
  const bad = new Map<string, BadRow>();
  const fingerprints: (string | undefined)[] = [];
  for (const element of elements) {
    const row = readRow(element, stream, run.hash);
    fingerprints.push(row.fingerprint);
    if ('reason' in row) bad.set(row.digest, row);
    else {
      last.delete(row.id);
      last.set(row.id, row);
    }
  }
  // Of an id in doubt the SIEM may hold another version than the window: it is sent again, whatever the window knows.
  const unknown = [...last.values()].filter(
    row => !memory.window.has(row.fingerprint) || memory.inFlight.doubts(row.id),
  );
  const unknownBad = [...bad.values()].filter(row => !memory.window.has(row.fingerprint));
  const swallowed = last.size - unknown.length + bad.size - unknownBad.length;
  return { unknown, bad: unknownBad, swallowed, superseded: elements.length - last.size - bad.size, fingerprints };
}
