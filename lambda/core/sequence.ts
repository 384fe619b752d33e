/**
 * A reservation of sequences. Each event has a `sequence` of twenty digits. It rises with every
 * event that this connector ever sends, because the lease's epoch rises with every run. Compared as
 * text, the greatest sequence is the newest.
 *
 *     epoch 12, third event  →  "00000000120000000003"
 *
 * A draft reserves enough sequences for its rows before they are decided, so that the decisions do
 * not need a shared counter. Sequences that are not used are skipped.
 */
export interface ReservedSequences {
  readonly epoch: string;
  /** Number of sequences that the run had reserved before. */
  readonly after: number;
}

/** Time at which the clock of `epochAt` starts. */
const EPOCHS_BEGIN = Date.UTC(2026, 0, 1);

/**
 * Returns the least epoch of a run that begins now: the seconds since 2026-01-01T00:00Z. Therefore
 * a table that was lost, restored, or created again does not fall behind the sequences that the
 * SIEM has. A `sequence` made from such an epoch stays below 2^63 until the year 2055.
 */
export function epochAt(now: number): number {
  return Math.max(1, Math.floor((now - EPOCHS_BEGIN) / 1000));
}

/**
 * Returns the least sequence of an epoch. No event of a run with this epoch or a later epoch has a
 * smaller sequence.
 */
export function leastSequence(epoch: number): string {
  return sequenceAt({ epoch: epochText(epoch), after: 0 }, 0);
}

function epochText(epoch: number): string {
  return String(epoch).padStart(10, '0');
}

/**
 * Returns the n-th sequence of a reservation, counted from 1. For 0 it is the last sequence before
 * the reservation.
 *
 *     epoch 12, two reserved before: sequenceAt(…, 1)  →  "00000000120000000003"
 */
export function sequenceAt({ epoch, after }: ReservedSequences, n: number): string {
  return epoch + String(after + n).padStart(10, '0');
}

export class Sequencer {
  readonly #epoch: string;
  #reserved = 0;

  constructor(epoch: number) {
    this.#epoch = epochText(epoch);
  }

  reserve(count: number): ReservedSequences {
    const after = this.#reserved;
    this.#reserved += count;
    return { epoch: this.#epoch, after };
  }
}
