/** Does the SIEM have the truth? From the API's answer and what the connector last sent of the same id. */
import { initialState, isUnconfirmed } from '../../../lambda/core/stream-state.ts';
import type { RowState, SavedStream, StoredState } from '../../../lambda/ports.ts';
import type { Answer } from './answer.ts';

export type ResultWord =
  /** The SIEM was sent what the API answers. */
  | 'same'
  /** The SIEM was sent something else, or was told that the row is gone while the API has it. */
  | 'differs'
  | 'never sent'
  /** The SIEM was sent a notice: the row is too large for an event, and lies as a dead letter. */
  | 'too large'
  /** The SIEM was told that the row is gone, and the API has none. */
  | 'removed'
  /** The SIEM was sent a row that the API does not give any more. */
  | 'sent and gone from the API'
  /** A replay was ordered, and has not come to it: whatever was sent before, the SIEM may have lost. */
  | 'awaits a replay'
  /** A killed run may have sent something else of it without noting so; the next runs mend that. */
  | 'in doubt'
  /** The connector's own note cannot be read, or the API's answer cannot. */
  | 'not known';

/** @param stored what the connector noted; nothing when it has never sent the id */
export function resultOf(answer: Answer, stored: StoredState | undefined): ResultWord {
  if (stored instanceof Error || answer.kind === 'unclear') return 'not known';
  if (!stored) return 'never sent';
  if (answer.kind !== 'row') return stored.removed ? 'removed' : 'sent and gone from the API';
  if (stored.removed !== answer.row.deleted) return 'differs';
  if (stored.rowHash !== answer.row.rowHash) return 'differs';
  return stored.removed ? 'removed' : 'same';
}

/** Whether the connector's note of the id can be relied on. @returns nothing where it can */
export function unconfirmedFor(id: string, stored: RowState, memory: SavedStream): ResultWord | undefined {
  const { generation } = memory.checkpoint;
  if (stored.generation < generation && !stored.removed) return 'awaits a replay';
  return isUnconfirmed(initialState(memory), id) ? 'in doubt' : undefined;
}

/** Whether the SIEM has what the API has. */
export function isTrue(result: ResultWord): boolean {
  return result === 'same' || result === 'removed';
}
