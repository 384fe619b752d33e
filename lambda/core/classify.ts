/** What to do about one row, from what was forwarded of its id before. */
import type { RowState } from '../ports.ts';
import type { Row } from './row.ts';

export type Verdict =
  /** The SIEM lacks it. */
  | 'forward'
  /** The SIEM has it. */
  | 'suppress'
  /** The SIEM has it, but the state must learn which owner it vanishes with. */
  | 'adopt'
  /** The tombstone of a row that the SIEM never had (specification, consumer rule 2). */
  | 'unseen';

export interface Knowledge {
  readonly state: RowState | undefined;
  /** The SIEM may have an event of this id that the state does not know of. */
  readonly unconfirmed: boolean;
  /** States of an earlier generation no longer say what the SIEM has. */
  readonly generation: number;
}

/** `updated_at` takes no part: a row is news when its content differs, whatever its times say. */
export function classify(row: Row, { state, unconfirmed, generation }: Knowledge): Verdict {
  if (!state) return row.deleted && !unconfirmed ? 'unseen' : 'forward';
  if (unconfirmed || state.generation < generation || state.rowHash !== row.rowHash) return 'forward';
  return state.parent === row.parent ? 'suppress' : 'adopt';
}
