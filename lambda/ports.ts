/** Types of the core's ports, which source/, sink/ and store/ implement and which tests replace. */
import type { CutElement } from './core/json/cutter.ts';
import type { StreamName } from './streams.ts';

/** One-way hash of a text, in lower-case hexadecimal (SHA-256: 64 characters). */
export type Hash = (text: string) => string;

export interface Clock {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /**
   * Resolves after `milliseconds`, or rejects with the signal's reason.
   *
   * @param purpose `limit` if the sleep is the time limit of another operation, for example of a
   * request; a test clock does not skip such a sleep
   */
  sleep(milliseconds: number, signal?: AbortSignal, purpose?: 'limit'): Promise<void>;
}

export interface PageRequest {
  readonly path: string;
  /** Cursor of the page. Absent for the page at the beginning. */
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface PageSource {
  /**
   * Requests the body of one list answer, without a byte order mark. It is not checked whether the
   * body is UTF-8.
   *
   * @throws CursorRefusedError, PageTooLargeError, PageTimeoutError: the walk handles these itself
   * @throws CredentialsError, AccountRevokedError, RoleMissingError, ApiRefusedError,
   * ApiUnavailableError
   */
  page(request: PageRequest): Promise<Uint8Array>;
  /**
   * Lets the event loop send a request that was just made, because the caller is about to occupy
   * the thread. Absent when requests are sent without this thread.
   */
  yieldToRequests?(): Promise<void>;
}

/**
 * Names of the members that the specification does not show, as far as they were found. No name is
 * guessed.
 */
export interface MemberNames {
  readonly rows?: string | undefined;
  /** Empty when the pagination members stand at the top of the answer itself. */
  readonly pagination?: string | undefined;
}

/**
 * Records how far a stream has been read, and holds the de-duplication window, which consists of
 * the tags of the rows that were read last.
 *
 *     page 1 → cursor c1, page 2 → cursor c2, page 3 → null
 *     saved: cursor c2, previous c1, window: the version tags of the rows of page 2 and page 3
 *
 * The page that ends a walk has no cursor of its own, so the next poll reads page 3 again. The
 * window recognizes its rows.
 */
export interface Checkpoint {
  readonly cursor: string | undefined;
  /**
   * Cursor that was saved before `cursor`, or to which `cursor` leads back around a circle. It is
   * tried first when the API refuses `cursor`.
   */
  readonly previous: string | undefined;
  /**
   * Time at which the circle that contains `cursor` was read, in milliseconds since 1970. Absent
   * when `cursor` is not part of a circle.
   */
  readonly circled?: number | undefined;
  /** Version tags of the rows read last, oldest first, 24 hexadecimal characters each. */
  readonly window: readonly string[];
  /**
   * Lease epoch at which the last complete second walk began. An existing row with an older
   * generation has not been listed since then.
   */
  readonly generation: number;
  readonly names: MemberNames;
  /**
   * Greatest `sequence` of the batches that were saved; empty before the first batch. A log with a
   * greater sequence is repeated.
   */
  readonly committed: string;
  /** `tag` of the filter with which the stream was read. Empty when every row was sent whole. */
  readonly filter: string;
  readonly counts: RowCounts;
  /** Absent when no second walk is under way. */
  readonly second?: SecondWalk | undefined;
  /**
   * Time at which the last complete second walk began, for `reconcileDays` or for another reason,
   * in milliseconds since 1970.
   */
  readonly reconciled?: number | undefined;
  /** Time at which threats of restored assets were last read again, in milliseconds since 1970. */
  readonly reread?: number | undefined;
  /** Absent when the stream was never refreshed. */
  readonly refresh?: RefreshProgress | undefined;
}

/** Numbers of rows that exist according to the row states, whether they were sent or filtered. */
export interface RowCounts {
  readonly existing: number;
  /** Existing rows that have the generation of the checkpoint. */
  readonly listed: number;
}

/**
 * `differences`: rows that differ from their state are sent. `all`: every row is sent again, once.
 * `restored`: only threats of restored assets are sent; no row is marked, and no row is swept.
 */
export type SecondWalkMode = 'differences' | 'all' | 'restored';

/**
 * Progress of a second walk, which reads a stream again from the beginning, in addition to the walk
 * from its cursor. See core/second-walk.ts.
 */
export interface SecondWalk {
  readonly mode: SecondWalkMode;
  /**
   * `read` and `confirm` are the first and the second pass over the list, and `sweep` is the scan
   * of the table after them. `withdraw` is another scan, after the first pass of a second walk with
   * `withdrawalsSince`.
   */
  readonly phase: 'read' | 'withdraw' | 'confirm' | 'sweep';
  /**
   * Time in milliseconds since 1970. Only rows whose last event was sent after it are sent again.
   * If absent, every row is sent again.
   */
  readonly since?: number | undefined;
  /**
   * Time in milliseconds since 1970. Withdrawals and tombstones that were sent after this time are
   * sent again. If absent, no withdrawal and no tombstone is sent again.
   */
  readonly withdrawalsSince?: number | undefined;
  /** Cursor of the pass. Absent before the pass has begun. */
  readonly cursor?: string | undefined;
  /** Rows that this pass has listed. */
  readonly rows: number;
  /** Time before which nothing is read, in milliseconds since 1970. */
  readonly notBefore: number;
  /**
   * Whether the previous run also ended at `cursor`, with rows that it held back, so that the pass
   * did not get further.
   */
  readonly isHeldUp?: boolean | undefined;
  /** Place at which the scan continues. */
  readonly scanned?: string | undefined;
  /**
   * Number of rows of the stream that this walk may withdraw without a confirmation. See
   * core/guard.ts.
   */
  readonly most: number;
  readonly withdrawn: WithdrawalCounts;
  /**
   * Withdrawals that wait for a confirmation, because the guard has stopped before them. Absent
   * when the guard has not stopped.
   */
  readonly waiting?: WaitingWithdrawals | undefined;
  /** Whether an operator has confirmed the withdrawals of this walk. */
  readonly isConfirmed?: boolean | undefined;
}

export interface WithdrawalCounts {
  /** Rows of the stream itself. */
  readonly own: number;
  /** Rows of the child stream that disappear together with the rows of the stream itself. */
  readonly children: number;
}

export interface WaitingWithdrawals extends WithdrawalCounts {
  readonly reason: 'filtered' | 'not-listed';
}

/** Records how far the refresh has read a stream again. See core/refresh.ts. */
export interface RefreshProgress {
  readonly cursor: string | undefined;
  /** Time at which the pass began, or will begin, in milliseconds since 1970. */
  readonly started: number;
  /** Rows read in this pass. */
  readonly rows: number;
  /** Number of rows in the previous pass. Absent in the first pass, which counts the rows. */
  readonly lastRows: number | undefined;
  /** Pages read in this pass. @default 0 */
  readonly pages?: number | undefined;
  /**
   * Digest of a cursor that this pass has followed, by which a circle is recognized. Absent before
   * the first page.
   */
  readonly mark?: string | undefined;
}

/** Entry in the table that names a log. The log is the object that holds an unfinished batch. */
export interface LogEntry {
  /** `committed` of the checkpoint with which the batch ends. */
  readonly sequence: string;
  readonly key: string;
  /** Keys of logs of the same stream that are finished and may still exist. */
  readonly earlier: readonly string[];
}

export interface SavedStream {
  readonly checkpoint: Checkpoint;
  /**
   * Last batch that was logged. The batch is unfinished, and is repeated, when its sequence is
   * greater than that of the checkpoint.
   */
  readonly log: LogEntry | undefined;
}

export interface SavedState {
  /** Saved state of each stream, or the StateVersionError with which the stream must fail. */
  readonly streams: Map<StreamName, SavedStream | Error>;
  /** Digest of the organization to which the state belongs. Absent before the first run. */
  readonly organization: string | undefined;
}

/**
 * Condition of each fenced write, so that an older write cannot overwrite a newer write, whether
 * the older write comes from an earlier run or from the same run.
 */
export interface Fence {
  readonly epoch: number;
  /** Number that rises with each write of a run. */
  readonly write: number;
}

export interface CheckpointStore {
  /**
   * Reads the saved state in one strongly consistent read.
   *
   * @throws StateError; StateVersionError if it concerns every stream
   */
  load(streams: readonly StreamName[]): Promise<SavedState>;
  /**
   * Saves a checkpoint. The write is refused once a later write has landed. @throws LeaseLostError,
   * StateError
   */
  save(stream: StreamName, checkpoint: Checkpoint, fence: Fence): Promise<void>;
  /**
   * Saves the entry of the log for the next batch, under the same fence. @throws LeaseLostError,
   * StateError
   */
  saveLog(stream: StreamName, log: LogEntry, fence: Fence): Promise<void>;
  /**
   * Saves the digest of the organization, under the same fence.
   *
   * @throws LeaseLostError, StateError
   */
  saveOrganization(digest: string, fence: Fence): Promise<void>;
  /**
   * Raises the fence of every item, so that no write of an earlier run can take effect any more.
   */
  fence(streams: readonly StreamName[], epoch: number): Promise<void>;
  /**
   * Number of writes to the table whose answer was unclear in this run, for example because of a
   * time-out. Such a write may land later.
   */
  unclearWrites(): number;
}

/** Stores the logs of batches as objects, until the batches are finished. */
export interface LogStore {
  /** @throws LogError, LeaseLostError */
  put(stream: StreamName, sequence: string, batch: Uint8Array, assertLeaseValid: AssertLeaseValid): Promise<StoredLog>;
  /**
   * @returns undefined when there is no such object
   * @throws LogError
   */
  get(key: string): Promise<{ readonly stored: StoredLog; readonly batch: Uint8Array } | undefined>;
  /** @throws LogError */
  delete(logs: readonly StoredLog[]): Promise<void>;
}

export interface StoredLog {
  readonly key: string;
  /**
   * Version of the object, if the bucket keeps versions. Without it a deletion would hide the rows,
   * but keep them.
   */
  readonly version?: string | undefined;
}

/**
 * Called before each batch of writes, and before each repetition of a batch. A batch of writes
 * cannot have conditions, so it may start only while the lease outlasts it. Otherwise the function
 * throws LeaseLostError.
 */
export type AssertLeaseValid = () => Promise<void>;

/** Decides which rows of a stream are sent, and with which members. */
export interface RowFilter {
  /**
   * Hash of this filter. A stream that was read with another filter is read again from the
   * beginning.
   */
  readonly tag: string;
  /**
   * Time in milliseconds since 1970. Rows with an earlier time are filtered, but rows without a
   * readable time are sent.
   */
  readonly since?: number | undefined;
  /** @param text text of the whole row */
  decide(text: string): FilterResult;
  /** Whether the filter leaves members out. */
  readonly omits: boolean;
  /**
   * Returns the row without the members that `omit` leaves out. An element that is not an object is
   * returned unchanged, because it has no members.
   */
  reduce(element: CutElement): CutElement;
}

/**
 * `error`: the expression failed or did not return a boolean. The row is sent, so that an error in
 * a filter loses nothing.
 */
export type FilterResult = 'send' | 'filtered' | 'error';

/**
 * `live`: the SIEM has the row. `filtered`: the row exists, but the filter excludes it. `removed`:
 * the row does not exist, and the SIEM knows this or never had the row.
 */
export type RowStatus = 'live' | 'filtered' | 'removed';

/** The last event sent for one id, and whether the row exists. */
export interface RowState {
  readonly status: RowStatus;
  /** Hash of the row in its last event. Empty when no event was sent. */
  readonly rowHash: string;
  readonly generation: number;
  /**
   * Id of the row together with which this row disappears. For a threat it is the id of its asset.
   */
  readonly parent: string | undefined;
  /** `sequence` of the last event, or of the decision if no event was sent. */
  readonly sequence: string;
  /**
   * Time of that event or decision, in ISO 8601. It leads an operator to the object in which the
   * event was delivered.
   */
  readonly forwardedAt: string;
}

/** Entry under an asset. It says that the given threat of the asset may have been sent. */
export interface ChildEntry {
  readonly parent: string;
  readonly id: string;
}

export interface RowStateStore {
  /**
   * Reads states in strongly consistent reads. Ids without a state are absent from the answer.
   *
   * @throws StateError, StateVersionError
   */
  get(stream: StreamName, ids: readonly string[]): Promise<Map<string, RowState>>;
  put(stream: StreamName, states: ReadonlyMap<string, RowState>, assertLeaseValid: AssertLeaseValid): Promise<void>;
  /**
   * Reads one page of a scan for existing rows of an older generation.
   *
   * @param from `next` of the page before
   * @throws StateError, StateVersionError
   */
  unlisted(stream: StreamName, generation: number, from: string | undefined): Promise<ScannedPage>;
  /**
   * Reads one page of a scan for removed rows whose last event has a sequence in the range.
   *
   * @param from `next` of the page before
   * @throws StateError, StateVersionError
   */
  removed(stream: StreamName, range: SequenceRange, from: string | undefined): Promise<ScannedPage>;
}

/** Sequences from `least`, and below `end`. */
export interface SequenceRange {
  readonly least: string;
  readonly end: string;
}

export interface ScannedPage {
  readonly states: ReadonlyMap<string, RowState>;
  /** Place at which the scan continues. Absent after the last page. */
  readonly next: string | undefined;
}

export interface ChildIndex {
  put(stream: StreamName, entries: readonly ChildEntry[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  /**
   * Reads the first `limit` children of the parent in a strongly consistent read.
   *
   * @param after the last child that is already known
   */
  of(stream: StreamName, parent: string, limit: number, after?: ChildEntry): Promise<ChildEntry[]>;
  delete(stream: StreamName, entries: readonly ChildEntry[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

/** The removal that caused a withdrawal. */
export interface Removal {
  readonly id: string;
  readonly deletedAt: string | undefined;
  /** Raw JSON text, as the API delivered it. */
  readonly position: string | undefined;
}

/** Key of one entry in the list of removals. */
export interface RemovalEntryKey {
  readonly id: string;
  /** Sequence of the event or of the decision that added the entry. */
  readonly sequence: string;
}

/** An asset whose removal or restoration is not yet processed. */
export interface ListedRemoval extends Removal, RemovalEntryKey {
  /**
   * Whether the asset exists again, so that its threats must be read again. Otherwise they must be
   * withdrawn.
   */
  readonly isRestored: boolean;
}

export interface RemovalStore {
  list(parents: StreamName): Promise<ListedRemoval[]>;
  add(parents: StreamName, removals: readonly ListedRemoval[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  remove(parents: StreamName, listings: readonly RemovalEntryKey[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export interface Delivery {
  /**
   * Resolves when every record has been acknowledged.
   *
   * @param assertLeaseValid called before the records are sent, and before refused records are sent
   * again
   * @throws DeliveryError, OutOfTimeError, LeaseLostError
   */
  deliver(records: readonly Uint8Array[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

/** A row that cannot be sent. It is stored so that a person can look at it. */
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
  /**
   * Row as the API sent it, without the members that `omit` leaves out; a summary if those members
   * cannot be found in it.
   */
  readonly row: string | Uint8Array | RowSummary;
  /**
   * Part of the key, so that the same row is stored under the same key, however often it is
   * delivered.
   */
  readonly rowHash: string;
}

/** Describes a row without its content, so that the API's operator can find the row. */
export interface RowSummary {
  readonly bytes: number;
  /** Id of the row. Absent when it cannot be read. */
  readonly id?: string | undefined;
}

export interface DeadLetterStore {
  /** Returns the place where the dead letter will be stored, as `s3://bucket/key`. */
  locate(deadLetter: DeadLetter): string;
  /** @throws DeadLetterError, LeaseLostError */
  store(deadLetter: DeadLetter, assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export interface HeldLease {
  readonly epoch: number;
  /** Random id that was created together with the state table. */
  readonly tableId: string;
  /**
   * Whether the run before may have left writes on their way, because it did not release the lease
   * or released it with `clean: false`.
   */
  readonly dirty: boolean;
  /** Number of consecutive runs that ended early because answers to their writes were unclear. */
  readonly unclearRuns: number;
  /** Aborts with LeaseLostError when the lease is lost or cannot be renewed. */
  readonly signal: AbortSignal;
  /** Returns the fence of the next write. */
  nextFence(): Fence;
  /**
   * Resolves if the lease lasts long enough for a batch of unconditional writes, and has not been
   * released.
   */
  readonly assertValid: AssertLeaseValid;
  /**
   * Releases the lease.
   *
   * @param outcome `clean` is false when the run failed or stopped within a page, so that the next
   * run first raises the fence. `unclear` is true when the answer to a write to the table was lost.
   * The lease then stays occupied for a minute, so that a late write lands before the next run.
   */
  release(outcome: { readonly clean: boolean; readonly unclear?: boolean }): Promise<void>;
}

export interface Lease {
  /**
   * @returns undefined when another run holds the lease, which is a normal outcome
   * @throws StateError
   */
  take(): Promise<HeldLease | undefined>;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
}
