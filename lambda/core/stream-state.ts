/** What a run remembers of one stream: the checkpoint it will save, and what was decided but is not recorded yet. */
import type { Checkpoint, Intent, RowState, SavedStream, StoredState } from '../ports.ts';
import type { Knowledge } from './classify.ts';
import { Intents } from './in-flight.ts';
import type { Row } from './row.ts';
import { Window } from './window.ts';

/** Taken for a damaged state while a resync mends the stream: known, so that removals are sent, and never equal. */
export const DAMAGED: RowState = {
  rowHash: '',
  generation: -1,
  removed: false,
  parent: undefined,
  sequence: '',
  forwardedAt: '',
  revision: '',
};

/** What is known of the rows of one page. */
export interface Recollection {
  readonly decided: ReadonlyMap<string, RowState>;
  readonly stored: ReadonlyMap<string, StoredState>;
}

export class Memory {
  readonly window: Window;
  readonly intents: Intents;
  /** States decided by pages whose commit is still under way. */
  readonly #pending = new Map<string, RowState>();
  #checkpoint: Checkpoint;

  /** @param pageLimit the window keeps two pages of this size. */
  constructor({ checkpoint, intents }: SavedStream, pageLimit: number) {
    this.#checkpoint = checkpoint;
    this.window = new Window(checkpoint.window, pageLimit * 2);
    this.intents = new Intents(intents, checkpoint.committed);
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  /** Moves on to what is about to be saved. */
  advance(change: Partial<Checkpoint>): Checkpoint {
    this.#checkpoint = { ...this.#checkpoint, ...change };
    return this.#checkpoint;
  }

  /**
   * What pages under way have decided of these rows. Ask before the look-up and keep the answer: a commit that ends during
   * the look-up takes its states from here, and the look-up may have been too early to see them in the table.
   */
  decided(rows: readonly Row[]): Map<string, RowState> {
    return new Map(
      rows.flatMap(({ id }) => {
        const state = this.#pending.get(id);
        return state ? [[id, state]] : [];
      }),
    );
  }

  /** @throws StateDamagedError unless a resync is mending the stream. */
  recall(row: Row, { decided, stored }: Recollection): Knowledge {
    const { generation } = this.#checkpoint;
    const pending = decided.get(row.id);
    if (pending) return { state: pending, unconfirmed: false, generation };
    return { state: this.readable(stored.get(row.id)), unconfirmed: this.intents.isUnconfirmed(row.id), generation };
  }

  readable(stored: StoredState | undefined): RowState | undefined {
    if (!(stored instanceof Error)) return stored;
    if (this.#checkpoint.repairing) return DAMAGED;
    throw stored;
  }

  pend(states: ReadonlyMap<string, RowState>): void {
    for (const [id, state] of states) this.#pending.set(id, state);
  }

  /** The states are in the table: only those that no later page has decided anew are dropped. */
  recorded(states: ReadonlyMap<string, RowState>, batch: Intent | undefined): void {
    for (const [id, state] of states) if (this.#pending.get(id) === state) this.#pending.delete(id);
    if (batch) this.intents.settle(batch);
  }
}
