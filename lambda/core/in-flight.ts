/**
 * Ids whose events may have reached the SIEM although no row state says so: noted in the table before a page is sent,
 * void once its checkpoint is saved.
 *
 * Without this note a kill between Firehose's ack and the row states would leave a ghost: an asset that was sent, whose
 * tombstone then looks like that of an asset never seen; or a change that was sent, after which the old content comes back
 * and looks like something that the SIEM already has.
 */
import type { InFlightBatch } from '../ports.ts';
import { idTag } from './id-tag.ts';

export class InFlight {
  readonly #doubtful = new Set<string>();
  #batches: InFlightBatch[] = [];

  /** @param settled highest sequence that a checkpoint has settled: batches up to it are void. */
  constructor(saved: readonly InFlightBatch[], settled: string) {
    for (const batch of saved) {
      if (batch.sequence !== '' && batch.sequence <= settled) continue;
      for (const tag of batch.tags) this.#doubtful.add(tag);
    }
  }

  /** Whether the SIEM may have an event of this id that no row state knows of. */
  doubts(id: string): boolean {
    return this.#doubtful.size > 0 && this.#doubtful.has(idTag(id));
  }

  /** How many ids are in doubt. */
  get doubtCount(): number {
    return this.#doubtful.size;
  }

  /** Notes that these ids are about to be sent. @returns what settles them. */
  open(ids: readonly string[], sequence: string): InFlightBatch {
    const batch = { sequence, tags: ids.map(idTag) };
    this.#batches.push(batch);
    return batch;
  }

  /** Their states are recorded and the checkpoint is saved: nothing is in doubt any more. */
  settle(batch: InFlightBatch): void {
    for (const tag of batch.tags) this.#doubtful.delete(tag);
    this.#batches = this.#batches.filter(each => each !== batch);
  }

  /** What the table must know before anything of it is sent. */
  toSave(): InFlightBatch[] {
    // What is being sent again is in doubt no longer than its page: the batch stands for it.
    const tags = [...this.#doubtful].filter(tag => !this.#batches.some(batch => batch.tags.includes(tag)));
    return tags.length > 0 ? [{ sequence: '', tags }, ...this.#batches] : this.#batches;
  }
}
