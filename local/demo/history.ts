import { changesBetween, type RowChange, type Rows } from './distance.ts';
import { keyOf } from './siem.ts';

/** A version of a row at the API. */
export interface RowVersion extends RowChange {
  /** Milliseconds since 1970, when it was first seen. */
  readonly at: number;
}

const CHANGES_SHOWN = 40;
const ROWS_REMEMBERED = 1_000;
const VERSIONS_REMEMBERED = 8;

/** Past versions of the rows that the page can show. */
export class DataHistory {
  #rows: Rows;
  readonly #versions = new Map<string, RowVersion[]>();
  /** Newest first. */
  changes: readonly RowVersion[] = [];

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  get rows(): Rows {
    return this.#rows;
  }

  /** Records a snapshot of the data. @returns the changes since the last one */
  look(rows: Rows, at: number): readonly RowVersion[] {
    const changed = changesBetween(this.#rows, rows).map(change => ({ ...change, at }));
    this.#rows = rows;
    for (const change of changed) this.#remember(change);
    this.changes = [...changed.toReversed(), ...this.changes].slice(0, CHANGES_SHOWN);
    return changed;
  }

  /** The versions that were seen, oldest first. A row that never changed has one, which is always known. */
  versionsOf(stream: string, id: string): readonly Pick<RowVersion, 'change' | 'row' | 'at'>[] {
    const known = this.#versions.get(keyOf(stream, id));
    if (known) return known;
    const row = this.#rows[stream]?.get(id);
    return row === undefined ? [] : [{ change: 'new', row, at: 0 }];
  }

  #remember(change: RowVersion): void {
    const key = keyOf(change.stream, change.id);
    const versions = this.#versions.get(key) ?? [];
    this.#versions.delete(key);
    this.#versions.set(key, [...versions, change].slice(-VERSIONS_REMEMBERED));
    if (this.#versions.size > ROWS_REMEMBERED) this.#versions.delete(this.#versions.keys().next().value!);
  }
}
