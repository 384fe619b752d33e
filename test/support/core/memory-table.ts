import { INITIAL_CHECKPOINT } from '../../../lambda/core/checkpoint.ts';
import type {
  Checkpoint,
  ChildEntry,
  ListedRemoval,
  LogEntry,
  RemovalEntryKey,
  RowState,
  SavedStream,
  ScannedPage,
  SequenceRange,
} from '../../../lambda/ports.ts';
import type { StreamName } from '../../../lambda/streams.ts';

/** The state that outlives a run. */
export class MemoryTable {
  readonly checkpoints = new Map<StreamName, Checkpoint>();
  readonly logNames = new Map<StreamName, LogEntry>();
  /** Objects of the bucket, by key. */
  readonly logs = new Map<string, Uint8Array>();
  /** Rows of one page of a scan. */
  scanPage = 1_000;
  /**
   * Digest of the organization that the table is about. Not of a first run, since few tests are
   * about one.
   */
  organization: string | undefined = 'acme';
  /** Streams whose checkpoint another version has written. */
  readonly unreadable = new Map<StreamName, Error>();
  readonly #states = new Map<string, RowState>();
  readonly #childIndex = new Map<string, ChildEntry>();
  readonly #removals = new Map<string, ListedRemoval>();

  saved(stream: StreamName): SavedStream | Error {
    const saved = { checkpoint: this.checkpoint(stream), log: this.logNames.get(stream) };
    return this.unreadable.get(stream) ?? saved;
  }

  checkpoint(stream: StreamName): Checkpoint {
    return this.checkpoints.get(stream) ?? INITIAL_CHECKPOINT;
  }

  state(stream: StreamName, id: string): RowState | undefined {
    return this.#states.get(key(stream, id));
  }

  putState(stream: StreamName, id: string, state: RowState): void {
    this.#states.set(key(stream, id), state);
  }

  /** One page of the rows that exist in an older generation, and the last id of it. */
  unlisted(stream: StreamName, generation: number, from: string | undefined): ScannedPage {
    return this.#scan(stream, state => state.status !== 'removed' && state.generation < generation, from);
  }

  removed(stream: StreamName, { least, end }: SequenceRange, from: string | undefined): ScannedPage {
    const isInRange = ({ sequence }: RowState) => sequence >= least && sequence < end;
    return this.#scan(stream, state => state.status === 'removed' && state.rowHash !== '' && isInRange(state), from);
  }

  #scan(stream: StreamName, isFound: (state: RowState) => boolean, from: string | undefined): ScannedPage {
    const found = [...this.#states].flatMap(([at, state]) => {
      const [name, id] = JSON.parse(at) as [string, string];
      return name === stream && isFound(state) ? [id] : [];
    });
    const left = found.sort().filter(id => from === undefined || id > from);
    const page = left.slice(0, this.scanPage);
    const states = new Map(page.map(id => [id, this.state(stream, id)!]));
    return { states, next: page.length < left.length ? page.at(-1) : undefined };
  }

  /** The children as `<parent> <id>`, sorted. */
  children(stream: StreamName): string[] {
    const ours = [...this.#childIndex].filter(([at]) => at.startsWith(`["${stream}"`));
    return ours.map(([, { parent, id }]) => `${parent} ${id}`).sort();
  }

  /** In the order of their ids, as the table has them. */
  childrenOf(stream: StreamName, parent: string, limit: number, after: ChildEntry | undefined): ChildEntry[] {
    const ours = [...this.#childIndex].filter(([at, each]) => at.startsWith(`["${stream}"`) && each.parent === parent);
    const sorted = ours.map(([, each]) => each).sort((one, other) => (one.id < other.id ? -1 : 1));
    return sorted.filter(({ id }) => !after || id > after.id).slice(0, limit);
  }

  putChild(stream: StreamName, childEntry: ChildEntry): void {
    this.#childIndex.set(key(stream, childEntry.parent, childEntry.id), childEntry);
  }

  deleteChild(stream: StreamName, { parent, id }: ChildEntry): void {
    this.#childIndex.delete(key(stream, parent, id));
  }

  removals(stream: StreamName): ListedRemoval[] {
    return [...this.#removals].filter(([at]) => at.startsWith(`["${stream}"`)).map(([, each]) => each);
  }

  putRemoval(stream: StreamName, tombstone: ListedRemoval): void {
    this.#removals.set(key(stream, tombstone.id, tombstone.sequence), tombstone);
  }

  deleteRemoval(stream: StreamName, { id, sequence }: RemovalEntryKey): void {
    this.#removals.delete(key(stream, id, sequence));
  }
}

/** A row state with ordinary values, changed where a test needs it. */
export function rowState(change: Partial<RowState> = {}): RowState {
  return {
    rowHash: 'd'.repeat(32),
    generation: 0,
    status: 'live',
    parent: undefined,
    sequence: '00000000010000000001',
    forwardedAt: '',
    ...change,
  };
}

function key(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
