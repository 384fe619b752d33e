/** What the streams of one run share, and what it reports of each. */
import type {
  Checkpoints,
  ChildIndex,
  Clock,
  DeadLetters,
  Delivery,
  Hash,
  HeldLease,
  Log,
  MemberNames,
  PageSource,
  Removals,
  RowReader,
  RowStates,
} from '../ports.ts';
import type { SyncedStream } from '../streams.ts';
import type { EventContext } from './event.ts';
import type { Sequencer } from './sequence.ts';

/** What a run reaches out to. */
export interface Ports {
  readonly source: PageSource;
  readonly rows: RowReader;
  /** Digest of the organization that the credentials are for. @throws CredentialsError */
  readonly organization: () => Promise<string>;
  readonly checkpoints: Checkpoints;
  readonly rowStates: RowStates;
  readonly childIndex: ChildIndex;
  readonly removals: Removals;
  readonly delivery: Delivery;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
}

export interface Assignment {
  readonly connector: string;
  /** The streams to read, with the path of each. */
  readonly streams: readonly SyncedStream[];
  readonly pageLimit: number;
  /** Member of a threat that names its asset. */
  readonly parentMember: string;
  readonly configuredNames: MemberNames;
  /** Every row is sent again within so many days. Absent: a row is sent when it changes. */
  readonly refreshDays?: number | undefined;
}

/** What the streams of one run share. */
export interface Run extends Ports {
  readonly assignment: Assignment;
  readonly lease: HeldLease;
  readonly sequencer: Sequencer;
  /** Whether the time budget allows no further page. */
  readonly outOfTime: () => boolean;
}

/** What happened to one stream in one run. */
export interface StreamResult {
  readonly pages: number;
  /** Pages whose writes are done, with the checkpoint behind them. */
  readonly committedPages: number;
  readonly rows: number;
  /** Events of rows that Firehose acknowledged, oversize notices and tombstones included. */
  readonly forwarded: number;
  /** Rows that the SIEM already has. */
  readonly suppressed: number;
  /** Rows that a later row of their page replaced. */
  readonly superseded: number;
  readonly tombstones: number;
  readonly unseenTombstones: number;
  /** Rows that the filter of the stream withholds. */
  readonly filtered: number;
  /** Rows for which the filter gave an error or no boolean. They are sent. */
  readonly filterFaults: number;
  /** Withdrawals that Firehose acknowledged. */
  readonly withdrawn: number;
  /** Those of them that a filter caused. */
  readonly withdrawnByFilter: number;
  /** Rows that were sent again so that the SIEM does not forget them. */
  readonly refreshed: number;
  readonly deadLetters: number;
  readonly oversize: number;
  readonly withoutParent: number;
  readonly stalledCursors: number;
  readonly refusedCursors: number;
  readonly throttledMilliseconds: number;
  /** The walk reached the end of the stream and everything is saved. */
  readonly caughtUp: boolean;
}

export const EMPTY_RESULT: StreamResult = {
  pages: 0,
  committedPages: 0,
  rows: 0,
  forwarded: 0,
  suppressed: 0,
  superseded: 0,
  tombstones: 0,
  unseenTombstones: 0,
  filtered: 0,
  filterFaults: 0,
  withdrawn: 0,
  withdrawnByFilter: 0,
  refreshed: 0,
  deadLetters: 0,
  oversize: 0,
  withoutParent: 0,
  stalledCursors: 0,
  refusedCursors: 0,
  throttledMilliseconds: 0,
  caughtUp: false,
};

/** Numbers are added up, `caughtUp` is taken over. */
export function addCounts(result: StreamResult, counts: Partial<StreamResult>): StreamResult {
  const added = Object.entries(counts).map(([name, value]) => {
    const before = result[name as keyof StreamResult];
    return [name, typeof value === 'number' ? Number(before) + value : value];
  });
  return { ...result, ...Object.fromEntries(added) };
}

/** What the events of one page, or of one piece of withdrawals, have in common. */
export function eventContext({ assignment, clock, hash }: Run): EventContext {
  return { connector: assignment.connector, forwardedAt: new Date(clock.now()).toISOString(), hash };
}

/** One stream in one run. */
export interface StreamRun {
  readonly stream: SyncedStream;
  readonly run: Run;
  /** Adds to the result of the stream as things happen, so that a failure leaves what came before it. */
  readonly count: (counts: Partial<StreamResult>) => void;
}
