/**
 * Gives each event its `sequence`: twenty digits that rise with every event that this connector ever sends, because the
 * lease's epoch rises with every run. Compared as text, the greatest is the newest.
 *
 *     epoch 12, third event  →  "00000000120000000003"
 */
export class Sequencer {
  readonly #epoch: string;
  #count = 0;

  constructor(epoch: number) {
    this.#epoch = String(epoch).padStart(10, '0');
  }

  next(): string {
    this.#count++;
    return this.last;
  }

  /** The one given last. Before the first of a run: greater than all of earlier runs. */
  get last(): string {
    return this.#epoch + String(this.#count).padStart(10, '0');
  }
}
