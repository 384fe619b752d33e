import { BEGINNING } from '../../../../lambda/core/beginning.ts';
import type {
  Checkpoint,
  InFlightBatch,
  ListedRemoval,
  Membership,
  RowState,
  StoredState,
  StreamMemory,
} from '../../../../lambda/ports.ts';
import type { StreamName } from '../../../../lambda/streams.ts';

/** What outlives a run. */
export class MemoryTable {
  readonly checkpoints = new Map<StreamName, Checkpoint>();
  readonly inFlight = new Map<StreamName, readonly InFlightBatch[]>();
  /** Streams whose checkpoint cannot be read. */
  readonly damaged = new Map<StreamName, Error>();
  readonly #states = new Map<string, StoredState>();
  readonly #memberships = new Map<string, Membership>();
  readonly #withdrawals = new Map<string, ListedRemoval>();

  memory(stream: StreamName): StreamMemory | Error {
    const memory = { checkpoint: this.checkpoint(stream), inFlight: this.inFlight.get(stream) ?? [] };
    return this.damaged.get(stream) ?? memory;
  }

  checkpoint(stream: StreamName): Checkpoint {
    return this.checkpoints.get(stream) ?? BEGINNING;
  }

  state(stream: StreamName, id: string): StoredState | undefined {
    return this.#states.get(key(stream, id));
  }

  putState(stream: StreamName, id: string, state: StoredState): void {
    this.#states.set(key(stream, id), state);
  }

  /** As `<owner> <id>`, sorted. */
  members(stream: StreamName): string[] {
    const ours = [...this.#memberships].filter(([at]) => at.startsWith(`["${stream}"`));
    return ours.map(([, { owner, id }]) => `${owner} ${id}`).sort();
  }

  membersOf(stream: StreamName, owner: string, limit: number): Membership[] {
    const ours = [...this.#memberships].filter(([at, each]) => at.startsWith(`["${stream}"`) && each.owner === owner);
    return ours.map(([, each]) => each).slice(0, limit);
  }

  putMembership(stream: StreamName, membership: Membership): void {
    this.#memberships.set(key(stream, membership.owner, membership.id), membership);
  }

  deleteMembership(stream: StreamName, { owner, id }: Membership): void {
    this.#memberships.delete(key(stream, owner, id));
  }

  withdrawals(stream: StreamName): ListedRemoval[] {
    return [...this.#withdrawals].filter(([at]) => at.startsWith(`["${stream}"`)).map(([, each]) => each);
  }

  putWithdrawal(stream: StreamName, tombstone: ListedRemoval): void {
    this.#withdrawals.set(key(stream, tombstone.id), tombstone);
  }

  deleteWithdrawal(stream: StreamName, id: string): void {
    this.#withdrawals.delete(key(stream, id));
  }
}

/** A state of nothing remarkable, changed where a test cares. */
export function rowState(change: Partial<RowState> = {}): RowState {
  return {
    digest: 'd'.repeat(32),
    generation: 0,
    removed: false,
    owner: undefined,
    sequence: '00000000010000000001',
    forwardedAt: '',
    incarnation: '',
    ...change,
  };
}

function key(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
