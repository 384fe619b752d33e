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
  /** Cursor of the page. Absent: the page at the beginning. */
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
 *     saved: cursor c2, previous c1, window: the version tags of the rows of page 2 and page 3
 *
 * The page that ends a walk has no cursor of its own, so the next poll reads page 3 again. The window recognizes its rows.
 */
export interface Checkpoint {
  readonly cursor: string | undefined;
  /**
   * The cursor saved before `cursor`, or the cursor to which `cursor` leads back around a circle. It is tried first when the API refuses `cursor`.
   */
  readonly previous: string | undefined;
  /** When the circle was read to which `cursor` belongs, in milliseconds since 1970. Absent: it belongs to none. */
  readonly circled?: number | undefined;
  /** Version tags of the rows read last, oldest first, 24 hexadecimal characters each. */
  readonly window: readonly string[];
  /** Lease epoch at which the last complete second walk began. An existing row with an older one has not been listed since. */
  readonly generation: number;
  readonly names: MemberNames;
  /** Greatest `sequence` of the batches that were saved. A log with a greater one is done again. Empty before the first. */
  readonly committed: string;
  /** `tag` of the filter with which the stream was read. Empty: every row, whole. */
  readonly filter: string;
  readonly counts: RowCounts;
  /** Absent: no second walk is under way. */
  readonly second?: SecondWalk | undefined;
  /** When a second walk for `reconcileDays` or any other complete one began last, in milliseconds since 1970. */
  readonly reconciled?: number | undefined;
  /** When threats of restored assets were read again last, in milliseconds since 1970. */
  readonly reread?: number | undefined;
  /** Absent: the stream was never refreshed. */
  readonly refresh?: RefreshProgress | undefined;
}

/** How many rows the row states say exist, sent or filtered. */
export interface RowCounts {
  readonly existing: number;
  /** Existing rows that bear the generation of the checkpoint. */
  readonly listed: number;
}

/**
 * `differences`: rows that differ from their state are sent. `all`: every row is sent again, once. `restored`: only threats of restored assets
 * are sent; nothing is marked and nothing is swept.
 */
export type SecondWalkMode = 'differences' | 'all' | 'restored';

/** Progress of a second walk, which reads a stream again from the beginning, in addition to the walk from its cursor. See core/second-walk.ts. */
export interface SecondWalk {
  readonly mode: SecondWalkMode;
  /**
   * `read` and `confirm` are the first and the second pass over the list, `sweep` is the scan of the table after them. `withdraw` is another
   * scan after the first pass of a walk with `since`.
   */
  readonly phase: 'read' | 'withdraw' | 'confirm' | 'sweep';
  /**
   * Only rows whose last event was sent after this time are sent again, and their withdrawals too, in milliseconds since 1970. Absent: every
   * row is.
   */
  readonly since?: number | undefined;
  /** The cursor of the pass. Absent: the pass has not begun. */
  readonly cursor?: string | undefined;
  /** Rows that this pass has listed. */
  readonly rows: number;
  /** Nothing is read before this time, in milliseconds since 1970. */
  readonly notBefore: number;
  /** Whether the run before ended this pass at the same cursor with differences that it held back. */
  readonly isHeldUp?: boolean | undefined;
  /** Where the scan goes on. */
  readonly scanned?: string | undefined;
  /** Rows of the stream that this walk may withdraw without a confirmation. See core/guard.ts. */
  readonly most: number;
  readonly withdrawn: Withdrawals;
  /** Present when the guard has stopped before these withdrawals. */
  readonly waiting?: WaitingWithdrawals | undefined;
  /** Whether an operator has confirmed the withdrawals of this walk. */
  readonly isConfirmed?: boolean | undefined;
}

export interface Withdrawals {
  /** Rows of the stream itself. */
  readonly own: number;
  /** Rows of the other stream that disappear with them. */
  readonly children: number;
}

export interface WaitingWithdrawals extends Withdrawals {
  readonly reason: 'filtered' | 'not-listed';
}

/** How far a stream has been read again for the sake of SIEMs that forget. See core/refresh.ts. */
export interface RefreshProgress {
  readonly cursor: string | undefined;
  /** When the pass began, or will begin, in milliseconds since 1970. */
  readonly started: number;
  /** Rows read in this pass. */
  readonly rows: number;
  /** Number of rows in the previous pass. Absent: this pass is the first, and counts the rows. */
  readonly lastRows: number | undefined;
  /** Pages read in this pass. @default 0 */
  readonly pages?: number | undefined;
  /** Digest of a cursor that this pass has followed, so that a circle shows. Absent before the first page. */
  readonly mark?: string | undefined;
}

/** Entry in the table that names the log, the object that holds an unfinished batch. */
export interface LogEntry {
  /** `committed` of the checkpoint with which the batch ends. */
  readonly sequence: string;
  readonly key: string;
  /** Keys of logs of the same stream that are finished and may still exist. */
  readonly earlier: readonly string[];
}

export interface SavedStream {
  readonly checkpoint: Checkpoint;
  /** The last batch that was logged. It is open, and done again, when its sequence is greater than the checkpoint's. */
  readonly log: LogEntry | undefined;
}

export interface Saved {
  /** The saved state of each stream, or the StateVersionError with which the stream must fail. */
  readonly streams: Map<StreamName, SavedStream | Error>;
  /** Digest of the organization that the state belongs to. Absent before the first run. */
  readonly organization: string | undefined;
}

/** Part of each fenced write, so that no older one can land over a newer one: not one of an earlier run, nor an earlier one of the same run. */
export interface Fence {
  readonly epoch: number;
  /** Rises with each write of a run. */
  readonly write: number;
}

export interface Checkpoints {
  /** Reads the saved state in one strongly consistent read. @throws StateError; StateVersionError if it concerns every stream */
  load(streams: readonly StreamName[]): Promise<Saved>;
  /** Refused once a later write has landed. @throws LeaseLostError, StateError */
  save(stream: StreamName, checkpoint: Checkpoint, fence: Fence): Promise<void>;
  /** Saves the entry of the log for the next batch, under the same fence. @throws LeaseLostError, StateError */
  saveLog(stream: StreamName, log: LogEntry, fence: Fence): Promise<void>;
  /** Under the same fence. @throws LeaseLostError, StateError */
  saveOrganization(digest: string, fence: Fence): Promise<void>;
  /** Raises the fence of every item, so that no write of an earlier run can take effect any more. */
  fence(streams: readonly StreamName[], epoch: number): Promise<void>;
  /** How many writes to the table had an unclear answer in this run, such as a time-out: they may land later. */
  unclearWrites(): number;
}

/** Batches on their way, as objects. */
export interface Logs {
  /** @throws LogError, LeaseLostError */
  put(stream: StreamName, sequence: string, batch: Uint8Array, assertLeaseValid: AssertLeaseValid): Promise<StoredLog>;
  /** @returns nothing when there is no such object @throws LogError */
  get(key: string): Promise<{ readonly stored: StoredLog; readonly batch: Uint8Array } | undefined>;
  /** @throws LogError */
  delete(logs: readonly StoredLog[]): Promise<void>;
}

export interface StoredLog {
  readonly key: string;
  /** Where the bucket keeps versions: without it a deletion would hide the rows and keep them. */
  readonly version?: string | undefined;
}

/**
 * Called before each batch of writes and before each repeat of one. Batches take no conditions, so they may start only while the lease
 * outlasts them. Throws LeaseLostError otherwise.
 */
export type AssertLeaseValid = () => Promise<void>;

/** Which rows of a stream are sent, and which of their members. */
export interface RowFilter {
  /** Hash of this filter. A stream that was read with another filter is read again from the beginning. */
  readonly tag: string;
  /** Milliseconds since the epoch. Rows with an earlier time are filtered, but rows without a readable time are sent. */
  readonly since?: number | undefined;
  /** @param text of the whole row */
  decide(text: string): FilterResult;
  /** Whether members are left out. */
  readonly omits: boolean;
  /** The row without the members that are left out. They can be found only in an object that can be read. */
  reduce(element: CutElement): CutElement;
}

/** `error`: the expression failed or did not return a boolean. The row is sent, so that an error in a filter loses nothing. */
export type FilterResult = 'send' | 'filtered' | 'error';

/**
 * `live`: the SIEM has the row. `filtered`: it exists, and the filter excludes it. `removed`: it does not exist, and the SIEM knows that, or
 * never had it.
 */
export type RowStatus = 'live' | 'filtered' | 'removed';

/** The last event sent for one id, and whether the row exists. */
export interface RowState {
  readonly status: RowStatus;
  /** Hash of the row in the last event. Empty: no event was sent. */
  readonly rowHash: string;
  readonly generation: number;
  /** Id of the row that this one disappears with (a threat's asset). */
  readonly parent: string | undefined;
  /** `sequence` of the last event, or of the decision where none was sent. */
  readonly sequence: string;
  /** When that was, ISO 8601: leads an operator to the object that the event was delivered in. */
  readonly forwardedAt: string;
}

/** Under an asset: one of its threats may have been sent. */
export interface ChildEntry {
  readonly parent: string;
  readonly id: string;
}

export interface RowStates {
  /** Strongly consistent; ids without a state are absent from the answer. @throws StateError, StateVersionError */
  get(stream: StreamName, ids: readonly string[]): Promise<Map<string, RowState>>;
  put(stream: StreamName, states: ReadonlyMap<string, RowState>, assertLeaseValid: AssertLeaseValid): Promise<void>;
  /**
   * One page of a scan for rows that exist in an older generation.
   *
   * @param from `next` of the page before
   * @throws StateError, StateVersionError
   */
  unlisted(stream: StreamName, generation: number, from: string | undefined): Promise<ScannedPage>;
  /**
   * One page of a scan for removed rows whose last event has a sequence in the range.
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
  /** Where the scan goes on. Absent: this page was the last one. */
  readonly next: string | undefined;
}

export interface ChildIndex {
  put(stream: StreamName, entries: readonly ChildEntry[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  /** The first `limit` children of the parent, strongly consistent. @param after the last child that is already known */
  of(stream: StreamName, parent: string, limit: number, after?: ChildEntry): Promise<ChildEntry[]>;
  delete(stream: StreamName, entries: readonly ChildEntry[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

/** The removal that caused a withdrawal. */
export interface Removal {
  readonly id: string;
  readonly deletedAt: string | undefined;
  /** Raw JSON text, as delivered. */
  readonly position: string | undefined;
}

/** Key of one entry in the list of removals. */
export interface Listing {
  readonly id: string;
  /** Sequence of the event or of the decision that added the entry. */
  readonly sequence: string;
}

/** An asset whose removal or restoration is still to be worked off. */
export interface ListedRemoval extends Removal, Listing {
  /** Whether the asset exists again: its threats are to be read again. Otherwise they are to be withdrawn. */
  readonly isRestored: boolean;
}

export interface Removals {
  list(parents: StreamName): Promise<ListedRemoval[]>;
  add(parents: StreamName, removals: readonly ListedRemoval[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  remove(parents: StreamName, listings: readonly Listing[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export interface Delivery {
  /**
   * Resolves when every record has been acknowledged.
   *
   * @param assertLeaseValid called before the records are sent, and before refused ones are sent again
   * @throws DeliveryError, OutOfTimeError, LeaseLostError
   */
  deliver(records: readonly Uint8Array[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

/** A row that cannot be sent, stored so that a person can look at it. */
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

/** Description of a row without its content, with which the API's operator can find the row. */
export interface RowSummary {
  readonly bytes: number;
  /** Id of the row. Absent where it cannot be read. */
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
  /** Random id that was born with the state table. */
  readonly tableId: string;
  /** Whether the run before may have left writes on their way: it did not release, or released with `clean: false`. */
  readonly dirty: boolean;
  /** How many runs in a row have ended early because answers to their writes were unclear. */
  readonly unclearRuns: number;
  /** Aborts with LeaseLostError when the lease is lost or cannot be renewed. */
  readonly signal: AbortSignal;
  /** The fence of the next write. */
  nextFence(): Fence;
  /** Resolves while the lease lasts long enough for a batch of unconditional writes, and until it is released. */
  readonly assertValid: AssertLeaseValid;
  /**
   * Gives the lease back. `clean: false` when a write may still be on its way.
   *
   * @param outcome `unclear`: the lease stays occupied for a minute, in which a late write lands
   */
  release(outcome: { readonly clean: boolean; readonly unclear?: boolean }): Promise<void>;
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
