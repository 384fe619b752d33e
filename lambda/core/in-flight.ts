/**
 * Ids whose events may have reached the SIEM although no row state says so: noted in the table before a page is sent,
 * void once its checkpoint is saved.
 *
 * Without this note a kill between Firehose's ack and the row states would leave a ghost: an asset that was sent, whose
 * tombstone then looks like that of an asset never seen; or a change that was sent, after which the old content comes back
 * and looks like something that the SIEM already has.
 */
import type { Intent } from '../ports.ts';
import { idTag } from './hashes.ts';

export class Intents {
  readonly #unconfirmed = new Set<string>();
  #batches: Intent[] = [];

  /** @param settled highest sequence that a checkpoint has settled: batches up to it are void. */
  constructor(saved: readonly Intent[], committed: string) {
    for (const batch of saved) {
      if (batch.sequence !== '' && batch.sequence <= committed) continue;
      for (const tag of batch.idTags) this.#unconfirmed.add(tag);
    }
  }

  /** Whether the SIEM may have an event of this id that no row state knows of. */
  isUnconfirmed(id: string): boolean {
    return this.#unconfirmed.size > 0 && this.#unconfirmed.has(idTag(id));
  }

  /** How many ids are in doubt. */
  get doubtCount(): number {
    return this.#unconfirmed.size;
  }

  /** Notes that these ids are about to be sent. @returns what settles them. */
  open(ids: readonly string[], sequence: string): Intent {
    const batch = { sequence, idTags: ids.map(idTag) };
    this.#batches.push(batch);
    return batch;
  }

  /** Their states are recorded and the checkpoint is saved: nothing is in doubt any more. */
  settle(batch: Intent): void {
    for (const tag of batch.idTags) this.#unconfirmed.delete(tag);
    this.#batches = this.#batches.filter(each => each !== batch);
  }

  /** What the table must know before anything of it is sent. */
  toSave(): Intent[] {
    // What is being sent again is in doubt no longer than its page: the batch stands for it.
    const idTags = [...this.#unconfirmed].filter(tag => !this.#batches.some(batch => batch.idTags.includes(tag)));
    return idTags.length > 0 ? [{ sequence: '', idTags }, ...this.#batches] : this.#batches;
  }
}
