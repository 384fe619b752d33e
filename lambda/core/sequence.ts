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
    this.#epoch = String(epoch).padStart(10, '0');
  }

  reserve(count: number): Sequences {
    const after = this.#reserved;
    this.#reserved += count;
    return { epoch: this.#epoch, after };
  }
}
