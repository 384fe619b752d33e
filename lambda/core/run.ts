/** What the streams of one run share. */
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
import type { EventContext, EventFormat } from './event-format.ts';
import type { Sequencer } from './sequence.ts';

/** The verbs of the world, the same for every run. */
export interface Ports {
  readonly source: PageSource;
  readonly rows: RowReader;
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
  /** The streams to drain, with the path of each. */
  readonly streams: readonly SyncedStream[];
  readonly pageLimit: number;
  /** Member of a threat that names its asset. */
  readonly parentMember: string;
  readonly configuredNames: MemberNames;
  readonly format: EventFormat;
}

export interface Run extends Ports {
  readonly assignment: Assignment;
  readonly lease: HeldLease;
  readonly sequencer: Sequencer;
  /** Whether the time budget asks for no further page. */
  readonly outOfTime: () => boolean;
}

/** What happened to one stream in one run. */
export interface StreamResult {
  pages: number;
  /** Pages whose every step is done: the checkpoint stands behind them. */
  settledPages: number;
  rows: number;
  /** Events of rows that Firehose acknowledged, oversize notices and tombstones included. */
  forwarded: number;
  /** Rows that the SIEM already has. */
  suppressed: number;
  /** Rows that a later row of their page replaced. */
  superseded: number;
  tombstones: number;
  unseenTombstones: number;
  /** Withdrawals that Firehose acknowledged. */
  withdrawn: number;
  deadLetters: number;
  oversize: number;
  withoutOwner: number;
  stalledCursors: number;
  refusedCursors: number;
  throttledMilliseconds: number;
  /** The walk reached the end of the stream and everything is saved. */
  caughtUp: boolean;
}

export function emptyResult(): StreamResult {
  return {
    pages: 0,
    settledPages: 0,
    rows: 0,
    forwarded: 0,
    suppressed: 0,
    superseded: 0,
    tombstones: 0,
    unseenTombstones: 0,
    withdrawn: 0,
    deadLetters: 0,
    oversize: 0,
    withoutOwner: 0,
    stalledCursors: 0,
    refusedCursors: 0,
    throttledMilliseconds: 0,
    caughtUp: false,
  };
}

/** What the events of one page, or of one piece of withdrawals, have in common. */
export function eventContext({ assignment, clock, hash }: Run): EventContext {
  return { connector: assignment.connector, forwardedAt: new Date(clock.now()).toISOString(), hash };
}
