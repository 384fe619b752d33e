/** Parts that the streams of one run share, and the result of each stream. */
import type {
  CheckpointStore,
  ChildIndex,
  Clock,
  DeadLetterStore,
  Delivery,
  Hash,
  HeldLease,
  Log,
  LogStore,
  MemberNames,
  PageSource,
  RemovalStore,
  RowStateStore,
} from '../ports.ts';
import type { SyncedStream } from '../streams.ts';
import type { DraftOptions } from './draft.ts';
import type { EventContext } from './event.ts';
import type { Sequencer } from './sequence.ts';
import type { StreamLogs } from './stream-logs.ts';

/** The outside world of a run: API, Firehose, S3, DynamoDB and clock. */
export interface Ports {
  readonly source: PageSource;
  /** Digest of the organization to which the credentials belong. @throws CredentialsError */
  readonly organization: () => Promise<string>;
  readonly checkpoints: CheckpointStore;
  readonly logs: LogStore;
  readonly rowStates: RowStateStore;
  readonly childIndex: ChildIndex;
  readonly removals: RemovalStore;
  readonly delivery: Delivery;
  readonly deadLetters: DeadLetterStore;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
}

export interface Assignment {
  readonly connector: string;
  /** Streams to read, each with its path. */
  readonly streams: readonly SyncedStream[];
  readonly pageLimit: number;
  /** Member of a threat that names its asset. */
  readonly parentMember: string;
  readonly configuredNames: MemberNames;
  /**
   * Number of days within which every row is sent again. If absent, a row is sent only when it
   * changes.
   */
  readonly refreshDays?: number | undefined;
  /**
   * Number of days after which a second walk compares everything. If absent, a second walk begins
   * only at a command, or when the filter changes.
   */
  readonly reconcileDays?: number | undefined;
}

/** Parts that the streams of one run share. */
export interface Run extends Ports {
  readonly assignment: Assignment;
  readonly lease: HeldLease;
  readonly sequencer: Sequencer;
  /** Whether the time budget allows no further page. */
  readonly outOfTime: () => boolean;
}

/** Result of a stream before anything is counted. */
export const EMPTY_RESULT = {
  pages: 0,
  /** Pages whose writes are done, and whose checkpoint is saved. */
  committedPages: 0,
  /** Rows of the list about which the walk or a second walk has decided. */
  rows: 0,
  /** Pages that were read again in addition to the walk, for a second walk or for a refresh. */
  pagesAgain: 0,
  /** Events of rows that Firehose acknowledged, including oversize notices and tombstones. */
  forwarded: 0,
  /** Rows that the SIEM already has. */
  duplicates: 0,
  /** Rows that were replaced by a later row with the same id in the same page. */
  superseded: 0,
  tombstones: 0,
  unknownTombstones: 0,
  /** Rows that the filter of the stream excludes. */
  filtered: 0,
  /** Rows for which the filter failed or did not return a boolean. They are sent. */
  filterErrors: 0,
  /** Withdrawals that Firehose acknowledged. */
  withdrawn: 0,
  /** Withdrawals that a filter caused. They are included in `withdrawn`. */
  withdrawnByFilter: 0,
  /** Withdrawals that wait until an operator confirms them. */
  withdrawalsWaiting: 0,
  /** Rows that were sent again so that the SIEM does not forget them. */
  refreshed: 0,
  deadLetters: 0,
  oversize: 0,
  threatsWithoutAsset: 0,
  stalledCursors: 0,
  refusedCursors: 0,
  /**
   * Number of early ends of the stream's run, which is 0 or 1. A run ends early when the answer to
   * a write was unclear.
   */
  unclearWrites: 0,
  /** Whether the walk reached the end of the stream with everything saved. */
  caughtUp: false,
  /** Whether the run ended during a second walk, which has more to read. */
  readsAgain: false,
};

/** Counts of one stream in one run. */
export type StreamResult = Readonly<typeof EMPTY_RESULT>;

/** Adds numbers, and replaces every other value. */
export function addCounts<T extends Partial<StreamResult>>(result: T, counts: Partial<StreamResult>): T {
  const sums = Object.entries(counts).map(([name, value]) => {
    const before = result[name as keyof StreamResult] ?? 0;
    return [name, typeof value === 'number' ? Number(before) + value : value];
  });
  return { ...result, ...Object.fromEntries(sums) };
}

/** The members that the events of one batch have in common. */
export function eventContext({ assignment, clock, hash, lease }: Run): EventContext {
  const forwardedAt = new Date(clock.now()).toISOString();
  return { connector: assignment.connector, forwardedAt, tableId: lease.tableId, hash };
}

/** One stream in one run. */
export interface StreamRun {
  readonly stream: SyncedStream;
  readonly run: Run;
  /**
   * Adds counts to the result of the stream at once, so that they are kept if the run fails later.
   */
  readonly count: (counts: Partial<StreamResult>) => void;
  readonly logs: StreamLogs;
  /**
   * Whether the stream ends its run here: the time budget is spent, or the answer to a write was
   * unclear.
   */
  readonly isOver: () => boolean;
}

/** Options of a draft that holds at most the given number of events. */
export function draftOptions(events: number, { stream, run }: StreamRun): DraftOptions {
  return {
    stream,
    // One more sequence than events is reserved, because a batch without events needs a sequence,
    // too.
    sequences: run.sequencer.reserve(events + 1),
    context: eventContext(run),
    locate: deadLetter => run.deadLetters.locate(deadLetter),
  };
}
