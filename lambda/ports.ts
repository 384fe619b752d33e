/**
 * The ports of the core, as types: verbs that source/, sink/ and store/ implement, and that tests replace.
 */
import type { CutElement } from './core/json/cutter.ts';
import type { StreamName } from './streams.ts';

/** One-way hash of a text, in lower-case hexadecimal (SHA-256: 64 characters). */
export type Hash = (text: string) => string;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Resolves after `milliseconds`, or rejects with the signal's reason.
   *
   * @param purpose `limit`: a bound on something else that is in progress. A test clock does not skip it
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
   * The body of one list answer, without a byte order mark. Whether it is UTF-8 is not checked.
   *
   * @throws CursorRefusedError, PageTooLargeError, PageTimeoutError: the walk handles these itself
   * @throws CredentialsError, AccountRevokedError, RoleMissingError, ApiRefusedError, ApiUnavailableError
   */
  page(request: PageRequest): Promise<Uint8Array>;
  /** Lets a request that was just made leave before the caller holds the thread. Absent where requests do not wait for the thread. */
  yieldToRequests?(): Promise<void>;
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

/** Names of the members that the specification does not show, once found (walk rule 8: nothing is guessed). */
export interface MemberNames {
  readonly rows?: string | undefined;
  /** Empty text: the pagination members are at the top of the answer itself. */
  readonly pagination?: string | undefined;
}

/**
 * How far a stream has been read, and what the de-duplication window holds of the rows just before.
 *
 *     page 1 → cursor c1, page 2 → cursor c2, page 3 → null
 *     saved: cursor c2, previous c1, window: the version tags of the rows of page 3
 *
 * The page that ends a walk has no cursor of its own, so the next poll reads page 3 again. The window recognizes its rows.
 */
export interface Checkpoint {
  readonly cursor: string | undefined;
  /**
   * The cursor saved before `cursor`, or the one to which `cursor` leads back around a circle. A walk has already followed it. Tried first when
   * the API refuses `cursor`.
   */
  readonly previous: string | undefined;
  /** Version tags of the rows read last, oldest first, 24 hexadecimal characters each. */
  readonly window: readonly string[];
  /** Lease epoch of the last replay. States of an earlier generation no longer say what the SIEM has. */
  readonly generation: number;
  readonly names: MemberNames;
  /** Greatest `sequence` among the events of committed batches. Empty before the first. */
  readonly committed: string;
  /** `tag` of the selection with which the stream was read. Empty: every row, whole. */
  readonly selection: string;
  /** How often the selection has changed. Part of the identity of events: a row that a filter withdrew may come back unchanged. */
  readonly selections: number;
  /** Absent: the stream was never refreshed. */
  readonly refresh?: RefreshProgress | undefined;
}

/**
 * A write-ahead record: ids that are about to be sent.
 *
 *     intent {sequence 12…07, ids a b c} → events of a b c acknowledged → row states → checkpoint committed 12…07
 *     killed before the row states:        the SIEM has a b c, the table does not know. The next run finds the intent,
 *                                          12…07 is greater than what the checkpoint committed, so a b c are unconfirmed.
 */
export interface Intent {
  /** First `sequence` of the batch that sends them. A row state that is as new was written after the batch was sent. */
  readonly first: string;
  /** Last `sequence` of the batch that sends them. Void once a checkpoint has committed it. Empty: unconfirmed until sent again. */
  readonly sequence: string;
  /** See core/hashes.ts. 14 hexadecimal characters each. */
  readonly idTags: readonly string[];
  /** Those of them that an event may have called gone. */
  readonly goneTags: readonly string[];
}

/** How far a stream has been read again for the sake of SIEMs that forget. See core/refresh.ts. */
export interface RefreshProgress {
  readonly cursor: string | undefined;
  /** When the pass began, or will begin, in milliseconds since 1970. */
  readonly started: number;
  /** Rows read in this pass. */
  readonly rows: number;
  /** Rows of the pass before. Absent: this pass is the first, and counts them. */
  readonly lastRows: number | undefined;
  /** Pages read in this pass. @default 0 */
  readonly pages?: number | undefined;
  /** Digest of a cursor that this pass has followed, so that a circle shows. Absent before the first page. */
  readonly mark?: string | undefined;
}

export interface SavedStream {
  readonly checkpoint: Checkpoint;
  readonly intents: readonly Intent[];
}

export interface Saved {
  /** Per stream what is saved, or the StateVersionError with which the stream must fail. */
  readonly streams: Map<StreamName, SavedStream | Error>;
  /** Digest of the organization that the state belongs to. Absent before the first run. */
  readonly organization: string | undefined;
}

export interface Checkpoints {
  /** What is saved, in one strongly consistent read. @throws StateError, StateVersionError where it is about every stream */
  load(streams: readonly StreamName[]): Promise<Saved>;
  /** Refused once a run with a later epoch has written. @throws LeaseLostError, StateError */
  save(stream: StreamName, checkpoint: Checkpoint, epoch: number): Promise<void>;
  /** Replaces the intents, under the same fence. @throws LeaseLostError, StateError */
  saveIntents(stream: StreamName, intents: readonly Intent[], epoch: number): Promise<void>;
  /** Under the same fence. @throws LeaseLostError, StateError */
  saveOrganization(digest: string, epoch: number): Promise<void>;
  /** Raises the fence of every item to `epoch`, so that no write of an earlier run can take effect any more. */
  fence(streams: readonly StreamName[], epoch: number): Promise<void>;
}

/**
 * Called before each batch of writes and before each repeat of one. Batches take no conditions, so they may start only while the lease
 * outlasts them. Throws LeaseLostError otherwise.
 */
export type AssertLeaseValid = () => Promise<void>;

/** What becomes of a stream's rows before they are compared with what was sent. */
export interface RowSelection {
  /** Names this selection. A stream that was read with another one is read again from the beginning. */
  readonly tag: string;
  /** Milliseconds since the epoch. Rows with an earlier time are withheld; those without a time that can be read are not. */
  readonly since?: number | undefined;
  /** @param text of the whole row */
  filter(text: string): FilterResult;
  /** Whether members are left out. */
  readonly omits: boolean;
  /** The row without the members that are left out. They can be found only in an object that can be read. */
  reduce(element: CutElement): CutElement;
}

/** `fault`: the expression gave an error, or no boolean. The row is sent, because nothing is lost by a filter's fault. */
export type FilterResult = 'send' | 'withhold' | 'fault';

/**
 * `live`: the SIEM has the row. `withheld`: it exists, and the filter excludes it. `removed`: it does not exist, and the SIEM knows that, or
 * never had it.
 */
export type RowStatus = 'live' | 'withheld' | 'removed';

/** What was last forwarded of one id, and whether the row exists. */
export interface RowState {
  readonly status: RowStatus;
  /** Of what the SIEM was sent last. Empty: it was sent nothing. */
  readonly rowHash: string;
  readonly generation: number;
  /** Id of the row that this one disappears with (a threat's asset). */
  readonly parent: string | undefined;
  /** `sequence` of the event that the SIEM has, or of the decision where nothing was sent. */
  readonly sequence: string;
  /** When that was, ISO 8601: leads an operator to the object that the event was delivered in. */
  readonly forwardedAt: string;
  /**
   * Rises when the row comes back. It makes the ids of later events differ from those before: a row that returns as it was, at the position
   * it had, would otherwise look like a repeat.
   */
  readonly revision: number;
}

/** Under an asset: one of its threats may have been sent. */
export interface ChildEntry {
  readonly parent: string;
  readonly id: string;
  /** `sequence` of the event that named this parent. */
  readonly sequence: string;
}

export interface RowStates {
  /** Strongly consistent; ids without a state are absent from the answer. @throws StateError, StateVersionError */
  get(stream: StreamName, ids: readonly string[]): Promise<Map<string, RowState>>;
  put(stream: StreamName, states: ReadonlyMap<string, RowState>, assertLeaseValid: AssertLeaseValid): Promise<void>;
  /** Ids of at most so many rows that exist and were sent, in no order. Looks at the beginning of the table only. @throws StateError */
  sample(stream: StreamName, count: number): Promise<string[]>;
}

export interface ChildIndex {
  put(stream: StreamName, entries: readonly ChildEntry[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  /** The first `limit` children of the parent, strongly consistent. @param after the last one that is known already */
  of(stream: StreamName, parent: string, limit: number, after?: ChildEntry): Promise<ChildEntry[]>;
  delete(stream: StreamName, entries: readonly ChildEntry[], assertLeaseValid: AssertLeaseValid): Promise<void>;
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
  /** `sequence` of its event, or of the decision where none was sent: only a greater one can restore the row. */
  readonly sequence: string;
}

export interface Removals {
  list(parents: StreamName): Promise<ListedRemoval[]>;
  add(parents: StreamName, removals: readonly ListedRemoval[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  remove(parents: StreamName, ids: readonly string[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export interface Delivery {
  /**
   * Resolves when every line has been acknowledged. Lines have no line end.
   *
   * @param assertLeaseValid called before the lines are sent, and before refused ones are sent again
   * @returns milliseconds spent waiting because of throttling
   * @throws DeliveryError, OutOfTimeError, LeaseLostError
   */
  deliver(lines: readonly string[], assertLeaseValid: AssertLeaseValid): Promise<number>;
}

/** A row that cannot be sent, stored for a human. */
export interface DeadLetter {
  readonly stream: StreamName;
  readonly reason:
    | 'not-an-object'
    | 'no-id'
    | 'id-too-long'
    | 'unclear-removal'
    | 'not-utf-8'
    | 'too-deep'
    | 'oversize';
  /** The row as the API sent it, without the members that are left out; a summary where they cannot be found in it. */
  readonly row: string | Uint8Array | RowSummary;
  /** The same row is stored under the same key, however often it is delivered. */
  readonly rowHash: string;
}

/** Says of a row, in place of its content, what leads the API's operator to it. */
export interface RowSummary {
  readonly bytes: number;
  /** Absent where it cannot be read. */
  readonly id?: string | undefined;
}

export interface DeadLetters {
  /** Where it will be stored, as `s3://bucket/key`. */
  locate(deadLetter: DeadLetter): string;
  /** @throws DeadLetterError, LeaseLostError */
  store(deadLetter: DeadLetter, assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export interface HeldLease {
  readonly epoch: number;
  /** Whether the run before may have left writes on their way: it did not release, or released with `clean: false`. */
  readonly dirty: boolean;
  /** Aborts with LeaseLostError when the lease is lost or cannot be renewed. */
  readonly signal: AbortSignal;
  /** Passes while the lease lasts long enough for a batch of unconditional writes, and until it is released. */
  readonly assertValid: AssertLeaseValid;
  /** Gives the lease back. `clean: false` when a write may still be on its way. */
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
