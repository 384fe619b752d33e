/**
 * Gives each event its `sequence`: twenty digits that rise with every event that this connector ever sends, because the lease's epoch
 * rises with every run. Compared as text, the greatest is the newest.
 *
 *     epoch 12, third event  →  "00000000120000000003"
 *
 * A page reserves as many as it has rows before it is decided, so that `decide` needs no counter. What it does not use is skipped.
 */
export interface Sequences {
  readonly epoch: string;
  /** How many events the run had reserved before. */
  readonly after: number;
}

/** The clock of `epochAt`: seconds since 2026-01-01T00:00Z. */
const EPOCHS_BEGIN = Date.UTC(2026, 0, 1);

/**
 * Seconds since 2026-01-01T00:00Z: a table that was lost, restored, or made a second time does not fall behind what the SIEM has. A
 * `sequence` made of it stays below 2^63 until the year 2055.
 */
export function epochAt(now: number): number {
  return Math.max(1, Math.floor((now - EPOCHS_BEGIN) / 1000));
}

/** No event of a run that began at this epoch or later has a smaller sequence. */
export function leastSequence(epoch: number): string {
  return sequenceAt({ epoch: epochText(epoch), after: 0 }, 0);
}

function epochText(epoch: number): string {
  return String(epoch).padStart(10, '0');
}

/**
 * The n-th of a reservation, from 1. The 0-th is the last one before it.
 *
 *     epoch 12, two reserved before: sequenceAt(…, 1)  →  "00000000120000000003"
 */
export function sequenceAt({ epoch, after }: Sequences, n: number): string {
  return epoch + String(after + n).padStart(10, '0');
}

export class Sequencer {
  readonly #epoch: string;
  #reserved = 0;

  constructor(epoch: number) {
    this.#epoch = epochText(epoch);
  }

  reserve(count: number): Sequences {
    const after = this.#reserved;
    this.#reserved += count;
    return { epoch: this.#epoch, after };
  }
}
