/**
 * Every metric that the function emits (CloudWatch embedded metric format), with its value. Shared with the alarms, the dashboard and
 * `connectorctl status`. All of them are counts.
 *
 * Dimensions: `service` is the connector's name; metrics of a stream also have `stream`.
 */
import {
  AccountRevokedError,
  ClientChangedError,
  ContractError,
  CredentialsError,
  CursorRefusedError,
  OrganizationChangedError,
  RoleMissingError,
} from './core/errors.ts';
import type { StreamResult } from './core/run.ts';
import type { RunOutcome } from './core/run-streams.ts';

export const METRIC_NAMESPACE = 'SecurityDataConnector';

export const DIMENSIONS = { connector: 'service', stream: 'stream' } as const;

/** The outcome of one stream. */
export interface StreamFacts {
  readonly result: StreamResult;
  readonly failure: Error | undefined;
}

type StreamValue = (facts: StreamFacts) => number | boolean;

/** Takes a count of the result as it is. */
const count =
  (name: { [K in keyof StreamResult]: StreamResult[K] extends number ? K : never }[keyof StreamResult]): StreamValue =>
  ({ result }) =>
    result[name];

/**
 * Emitted once a stream and run, with the dimensions `service` and `stream`: what `connectorctl status` shows of each stream. Each is billed
 * for every stream, so everything else about a stream is a property.
 */
export const STREAM_METRICS = {
  /** This metric is sent even when zero, so that `status` can see that a run took place. */
  RowsRead: count('rows'),
  /** Events acknowledged by the delivery stream, of every kind. */
  EventsForwarded: ({ result }) => result.forwarded + result.withdrawn + result.refreshed,
  ThreatsWithdrawn: count('withdrawn'),
  /** Rows that exist and that the stream's filter excludes. */
  RowsFiltered: count('filtered'),
  /** Rows that were sent again so that the SIEM does not forget them. */
  RowsRefreshed: count('refreshed'),
  /** Rows for which the filter failed or did not return a boolean. They are sent. */
  FilterErrors: count('filterErrors'),
  StreamFailed: ({ failure }) => failure !== undefined,
  /** The walk ended before the end of the stream, by the time budget or at a cursor that leads back. */
  TimeBudgetExceeded: ({ result, failure }) => !failure && !result.caughtUp,
} satisfies Record<string, StreamValue>;

/**
 * In the same log lines as the metrics of a stream, but no metrics, because each metric is billed. CloudWatch Logs Insights reads both alike.
 */
export const STREAM_PROPERTIES = {
  /** The walk reached the end of the stream with everything saved. */
  CaughtUp: ({ result, failure }) => !failure && result.caughtUp,
  PagesRead: count('pages'),
  /** Pages that were read again, for a second walk or for a refresh. */
  PagesReadAgain: count('pagesAgain'),
  /** Rows that the SIEM already has, recognized by the window or by their state. */
  Duplicates: count('duplicates'),
  /** Rows that a later row of their page replaced. */
  RowsSuperseded: count('superseded'),
  Tombstones: count('tombstones'),
  /** Tombstones of assets that were never sent. They are not sent either. */
  UnknownTombstones: count('unknownTombstones'),
  /** Rows written to the dead-letter prefix. */
  DeadLetters: count('deadLetters'),
  /** Dead letters for which a small event was sent as well. */
  OversizeEvents: count('oversize'),
  /** Threats that do not name their asset. */
  ThreatsWithoutAsset: count('threatsWithoutAsset'),
  /** Walks that ended at a cursor that they had already followed. */
  CursorStalled: count('stalledCursors'),
  /** 400 request/invalid-cursor answers. */
  CursorRefused: ({ result, failure }) =>
    Math.max(result.refusedCursors, failure instanceof CursorRefusedError ? 1 : 0),
  /** Answers that do not fit the API's contract. */
  ContractErrors: ({ failure }) => failure instanceof ContractError,
  /** 403 auth/insufficient-role answers. */
  RoleMissing: ({ failure }) => failure instanceof RoleMissingError,
  /** The stream ended its run early, because the answer to a write was unclear. */
  UnclearWrites: count('unclearWrites'),
} satisfies Record<string, StreamValue>;

/** The outcome of a run. */
export interface RunFacts {
  readonly outcome: RunOutcome;
  /** Whether the run was of every stream that is on. */
  readonly complete: boolean;
  /** Milliseconds until Lambda's time-out. */
  readonly timeLeft: number;
  /** Resident memory in bytes. */
  readonly memory: number;
}

/** Undefined: not sent. */
type ConnectorValue = (facts: RunFacts) => number | boolean | undefined;

/** Adds up the streams of a run. */
export function sum(value: StreamValue): (facts: RunFacts) => number {
  return ({ outcome: { results, failures } }) =>
    [...results].reduce(
      (total, [stream, result]) => total + Number(value({ result, failure: failures.get(stream) })),
      0,
    );
}

/** Only runs of all streams send these metrics, so that a partial run does not clear the alarm. */
const ofCompleteRuns =
  (value: StreamValue): ConnectorValue =>
  facts =>
    facts.complete && !facts.outcome.leaseHeld ? sum(value)(facts) : undefined;

/** The credentials or the account were refused, or belong to another organization. */
const REFUSALS = [CredentialsError, AccountRevokedError, OrganizationChangedError, ClientChangedError];

/** Emitted once per run, with the dimension `service`. The alarms monitor these metrics. */
export const CONNECTOR_METRICS = {
  StreamsFailed: ofCompleteRuns(STREAM_METRICS.StreamFailed),
  StreamsBehind: ofCompleteRuns(STREAM_METRICS.TimeBudgetExceeded),
  FilterErrors: sum(STREAM_METRICS.FilterErrors),
  DeadLetters: sum(STREAM_PROPERTIES.DeadLetters),
  ThreatsWithoutAsset: sum(STREAM_PROPERTIES.ThreatsWithoutAsset),
  ContractErrors: sum(STREAM_PROPERTIES.ContractErrors),
  RoleMissing: sum(STREAM_PROPERTIES.RoleMissing),
  /** Withdrawals that wait for a confirmation, because a second walk would withdraw too many rows of a stream. */
  WithdrawalsWaiting: sum(count('withdrawalsWaiting')),
  CredentialsRefused: ({ outcome }) =>
    [...outcome.failures.values()].some(failure => REFUSALS.some(type => failure instanceof type)),
  /** Another run held the lease, which is normal. */
  LeaseHeld: ({ outcome }) => outcome.leaseHeld,
} satisfies Record<string, ConnectorValue>;

/** In the same log line as the metrics of the connector, but no metrics. */
export const CONNECTOR_PROPERTIES = {
  /** Resident memory at the end of the run. */
  MemoryUsedMegabytes: ({ memory }) => Math.round(memory / 2 ** 20),
  /** Time left before Lambda's time-out at the end of the run. */
  TimeLeftMilliseconds: ({ timeLeft }) => timeLeft,
} satisfies Record<string, ConnectorValue>;

/**
 * Metrics that are sent as zero too. CloudWatch bills a metric for each hour in which it is sent, so a zero of any other is a property of the
 * log line, and alarms take its absence as zero. `StreamsFailed` must be there in each run, because its absence is the alarm on silence, and
 * `StreamsBehind`, because one run that is not behind ends a backlog.
 */
export const SENT_WHEN_ZERO: ReadonlySet<string> = new Set(['RowsRead', 'StreamsFailed', 'StreamsBehind']);

/**
 * Failures of a run that last until somebody fixes them. The first run of every stream without a failure after one of them sends it
 * as zero, once, and that ends its alarm, which takes the smallest value of its period: 1, 1, 1, 0 is fixed.
 * While that zero is in the period, the alarm does not fire again: 1, 1, 0, 1 is still fixed.
 */
export const LASTING_FAILURES: ReadonlySet<string> = new Set(['CredentialsRefused', 'RoleMissing', 'ContractErrors']);

export type StreamMetric = keyof typeof STREAM_METRICS;
