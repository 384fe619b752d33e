/**
 * What the core needs from the world, as types only: verbs that the adapters implement and tests stand in for.
 */
import type { StreamName } from './streams.ts';

/** One-way digest of a text, in lower-case hexadecimal (SHA-256: 64 characters). */
export type Hash = (text: string) => string;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Resolves after `milliseconds`, or rejects with the signal's reason.
   *
   * @param purpose `limit`: a bound on something else that is in progress, which a clock of tests does not skip
   */
  sleep(milliseconds: number, signal?: AbortSignal, purpose?: 'limit'): Promise<void>;
}

export interface PageRequest {
  readonly path: string;
  /** Absent: from the beginning. */
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface PageSource {
  /**
   * The body of one list answer: UTF-8, checked, without a byte order mark.
   *
   * @throws CursorRefusedError, PageTooLargeError, PageTimeoutError: the walk answers these itself
   * @throws CredentialsError, AccountRevokedError, RoleMissingError, ApiRefusedError, ApiUnavailableError
   */
  page(request: PageRequest): Promise<Uint8Array>;
}

export interface RowReader {
  /**
   * The answer of the API's single read, as UTF-8. What it answers for an unknown id is not specified.
   *
   * @param path of the list that the row is in
   * @throws as PageSource does; RangeError when no path can hold the id
   */
  row(path: string, id: string, signal: AbortSignal): Promise<string>;
}

/** Names of the members that the specification does not show, once known (design rule: nothing is guessed). */
export interface MemberNames {
  readonly rows?: string | undefined;
  /** Empty text: the pagination members stand at the top of the answer itself. */
  readonly pagination?: string | undefined;
}

/** Where the walk of a stream stands, and what it remembers of the rows just before. */
export interface Checkpoint {
  readonly cursor: string | undefined;
  /** The cursor saved before `cursor`; tried first when the API refuses that one. */
  readonly previous: string | undefined;
  /** Fingerprints of the rows most recently read and settled, oldest first; 24 hexadecimal characters each. */
  readonly window: readonly string[];
  /** Lease epoch of the last replay: states of an earlier generation no longer say what the SIEM has. */
  readonly generation: number;
  readonly names: MemberNames;
  /** Highest `sequence` among the events of settled pages; empty before the first. */
  readonly committed: string;
  /** Set by a resync until the walk next reaches its end: damaged row states are overwritten instead of refused. */
  readonly repairing: boolean;
}

/** Tags of ids whose events may have reached the SIEM although no row state says so. */
export interface Intent {
  /** Last `sequence` of the page that sent them: settled once a checkpoint has reached it. Empty: in doubt until resolved. */
  readonly sequence: string;
  /** See core/id-tag.ts; 14 hexadecimal characters each. */
  readonly idTags: readonly string[];
}

export interface SavedStream {
  readonly checkpoint: Checkpoint;
  readonly intents: readonly Intent[];
}

export interface Checkpoints {
  /**
   * The memory of each stream, in one strongly consistent read.
   *
   * @throws StateError
   * @returns per stream its memory, or the StateDamagedError that a drain of this stream must fail with
   */
  load(streams: readonly StreamName[]): Promise<Map<StreamName, SavedStream | Error>>;
  /** Saves under the fence: refused once a later epoch has written. @throws LeaseLostError, StateError */
  save(stream: StreamName, checkpoint: Checkpoint, epoch: number): Promise<void>;
  /** Replaces the in-flight batches, under the same fence. @throws LeaseLostError, StateError */
  saveIntents(stream: StreamName, batches: readonly Intent[], epoch: number): Promise<void>;
  /** Raises the fence of every item to `epoch`, so that no write of an earlier run can land any more. */
  fence(streams: readonly StreamName[], epoch: number): Promise<void>;
}

/**
 * Called before each batch of writes, and before each repeat of one: batches take no conditions, so they may only start
 * while the lease will outlast them. Throws LeaseLostError otherwise.
 */
export type AssertLeaseValid = () => Promise<void>;

/** What was last forwarded of one id. */
export interface RowState {
  readonly rowHash: string;
  readonly generation: number;
  /** The SIEM was told that the row is gone: by its tombstone, or withdrawn with its owner. */
  readonly removed: boolean;
  /** Id of the row in the stream that this one vanishes with (a threat's asset). */
  readonly parent: string | undefined;
  /** `sequence` of the event that told the SIEM. */
  readonly sequence: string;
  /** When that event was made, ISO 8601: leads an operator to the object that it was delivered in. Empty: not recorded. */
  readonly forwardedAt: string;
  /**
   * `event_id` of the row's last withdrawal, or empty. It makes the ids of what comes after differ from what came before:
   * a row that comes back as it was, at the position it had, would otherwise look like a repeat.
   */
  readonly revision: string;
}

/** The note under an asset that one of its threats may have been sent. */
export interface ChildEntry {
  readonly parent: string;
  readonly id: string;
  /** `sequence` of the event that tied the id to this owner. */
  readonly sequence: string;
}

/** Either a readable state, or the error that says why it is not. */
export type StoredState = RowState | Error;

export interface RowStates {
  /** Strongly consistent; ids without a state are absent from the answer. @throws StateError */
  get(stream: StreamName, ids: readonly string[]): Promise<Map<string, StoredState>>;
  put(stream: StreamName, states: ReadonlyMap<string, RowState>, assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export interface ChildIndex {
  put(stream: StreamName, childIndex: readonly ChildEntry[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  /**
   * The first `limit` memberships of the owner, strongly consistent. While a resync mends the stream a damaged one is read
   * by its key alone. @throws StateDamagedError otherwise
   */
  of(stream: StreamName, parent: string, limit: number, repairing: boolean): Promise<ChildEntry[]>;
  delete(stream: StreamName, childIndex: readonly ChildEntry[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

/** What a withdrawal says of the removal that caused it. */
export interface Removal {
  readonly id: string;
  readonly deletedAt: string | undefined;
  /** Raw JSON text, as delivered. */
  readonly position: string | undefined;
}

/** A removal whose threats are still to be withdrawn. */
export interface ListedRemoval extends Removal {
  /** `sequence` of its event, or of the last event before it where none was sent: only a greater one can restore the row. */
  readonly sequence: string;
}

export interface Removals {
  /** All of them. Damaged entries are read by their keys while `repairing`. @throws StateDamagedError otherwise */
  list(parents: StreamName, repairing: boolean): Promise<ListedRemoval[]>;
  add(parents: StreamName, removals: readonly ListedRemoval[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  remove(parents: StreamName, ids: readonly string[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export interface Delivery {
  /**
   * Resolves when every line has been acknowledged. Lines bear no line end.
   *
   * @param guard asked before the lines are sent, and before what was refused is sent again
   * @returns milliseconds spent waiting because of throttling
   * @throws DeliveryError, OutOfTimeError; as the guard does
   */
  deliver(lines: readonly string[], assertLeaseValid: AssertLeaseValid): Promise<number>;
}

/** A row that cannot be sent, kept whole for a human. */
export interface DeadLetter {
  readonly stream: StreamName;
  readonly reason: 'not-an-object' | 'no-id' | 'id-too-long' | 'oversize';
  /** The row's text as the API sent it. */
  readonly text: string;
  /** Digest of the row: the same row is stored under the same key, however often it is delivered. */
  readonly rowHash: string;
}

export interface DeadLetters {
  /** Where the letter will lie, as `s3://bucket/key`. */
  locate(deadLetter: DeadLetter): string;
  /** @throws DeadLetterError; as the guard does */
  store(deadLetter: DeadLetter, assertLeaseValid: AssertLeaseValid): Promise<void>;
  /** @returns the letter as it was stored; nothing where it is missing or must not be read: S3 answers both alike. @throws DeadLetterError */
  read(key: string): Promise<string | undefined>;
  /** Done where there is none. @throws DeadLetterError; as the guard does */
  remove(key: string, assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export interface HeldLease {
  readonly epoch: number;
  /** Whether the run before may have left writes under way: it ended without releasing, or released in doubt. */
  readonly dirty: boolean;
  /** Aborts with LeaseLostError when the lease is lost or cannot be renewed. */
  readonly signal: AbortSignal;
  /** Passes while the lease will last long enough for a batch of unconditional writes, and until it is released. */
  readonly assertValid: AssertLeaseValid;
  /** Gives the lease back. `clean: false` when a write may still be under way. */
  release(outcome: { readonly clean: boolean }): Promise<void>;
}

export interface Lease {
  /** @returns nothing when another run holds it, which is a normal outcome. @throws StateError */
  take(): Promise<HeldLease | undefined>;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
}
