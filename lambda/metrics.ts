/**
 * Declares every metric that the function emits (CloudWatch embedded metric format), and how its
 * value is computed. The alarms, the dashboard and `connectorctl status` use the same declarations.
 * All metrics are counts.
 *
 * The dimension `service` is the connector's name. Metrics of a stream also have the dimension
 * `stream`.
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

export interface StreamOutcome {
  readonly result: StreamResult;
  readonly failure: Error | undefined;
}

type StreamValue = (facts: StreamOutcome) => number | boolean;

/** Returns a function that takes one count of the stream's result as the value of a metric. */
const count =
  (name: { [K in keyof StreamResult]: StreamResult[K] extends number ? K : never }[keyof StreamResult]): StreamValue =>
  ({ result }) =>
    result[name];

/**
 * Metrics that are emitted once per stream and run, with the dimensions `service` and `stream`,
 * because `connectorctl status` shows them for each stream. Each metric is billed for every stream,
 * so all other values of a stream are properties.
 */
export const STREAM_METRICS = {
  /** This metric is sent even when zero, so that `status` can see that a run took place. */
  RowsRead: count('rows'),
  /** Events of every kind that the delivery stream acknowledged. */
  EventsForwarded: ({ result }) => result.forwarded + result.withdrawn + result.refreshed,
  ThreatsWithdrawn: count('withdrawn'),
  /** Rows that exist, but that the stream's filter excludes. */
  RowsFiltered: count('filtered'),
  /** Rows that were sent again so that the SIEM does not forget them. */
  RowsRefreshed: count('refreshed'),
  /** Rows for which the filter failed or did not return a boolean. They are sent. */
  FilterErrors: count('filterErrors'),
  StreamFailed: ({ failure }) => failure !== undefined,
  /**
   * Whether the walk ended before the end of the stream, because of the time budget or of a cursor
   * that leads back to an earlier page.
   */
  TimeBudgetExceeded: ({ result, failure }) => !failure && !result.caughtUp,
} satisfies Record<string, StreamValue>;

/**
 * Properties of the log lines that carry the metrics of a stream. They are not metrics, because
 * each metric is billed, but CloudWatch Logs Insights reads both alike.
 */
export const STREAM_PROPERTIES = {
  /** Whether the walk reached the end of the stream with everything saved. */
  CaughtUp: ({ result, failure }) => !failure && result.caughtUp,
  PagesRead: count('pages'),
  /** Pages that were read again, for a second walk or for a refresh. */
  PagesReadAgain: count('pagesAgain'),
  /** Rows that the SIEM already has, recognized by the window or by their state. */
  Duplicates: count('duplicates'),
  /** Rows that were replaced by a later row with the same id in the same page. */
  RowsSuperseded: count('superseded'),
  Tombstones: count('tombstones'),
  /** Tombstones of assets that were never sent. Such a tombstone is not sent either. */
  UnknownTombstones: count('unknownTombstones'),
  /** Rows written to the dead-letter prefix. */
  DeadLetters: count('deadLetters'),
  /** Dead letters for which a small event was sent as well. */
  OversizeEvents: count('oversize'),
  /** Threats that do not name their asset. */
  ThreatsWithoutAsset: count('threatsWithoutAsset'),
  /** Walks that ended at a cursor that they had already followed. */
  CursorStalled: count('stalledCursors'),
  /** Answers 400 request/invalid-cursor. */
  CursorRefused: ({ result, failure }) =>
    Math.max(result.refusedCursors, failure instanceof CursorRefusedError ? 1 : 0),
  /** Answers that do not fit the API's contract. */
  ContractErrors: ({ failure }) => failure instanceof ContractError,
  /** Answers 403 auth/insufficient-role. */
  RoleMissing: ({ failure }) => failure instanceof RoleMissingError,
  /**
   * Number of early ends of the stream's run, which is 0 or 1. A run ends early when the answer to
   * a write was unclear.
   */
  UnclearWrites: count('unclearWrites'),
} satisfies Record<string, StreamValue>;

/** Outcome and measurements of a run, from which its metrics are computed. */
export interface RunMeasurements {
  readonly outcome: RunOutcome;
  /** Whether the run read every stream that is switched on. */
  readonly complete: boolean;
  /** Milliseconds until Lambda's time-out. */
  readonly timeLeft: number;
  /** Resident memory in bytes. */
  readonly memory: number;
}

/** Value of a metric of the connector; undefined when the metric is not sent. */
type ConnectorValue = (facts: RunMeasurements) => number | boolean | undefined;

/** Adds up the values of all streams of a run. */
export function sumOfStreams(value: StreamValue): (facts: RunMeasurements) => number {
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
    facts.complete && !facts.outcome.leaseHeld ? sumOfStreams(value)(facts) : undefined;

/**
 * Errors that say that the credentials or the account were refused, or belong to another
 * organization.
 */
const REFUSALS = [CredentialsError, AccountRevokedError, OrganizationChangedError, ClientChangedError];

/** Metrics that are emitted once per run, with the dimension `service`. The alarms monitor them. */
export const CONNECTOR_METRICS = {
  StreamsFailed: ofCompleteRuns(STREAM_METRICS.StreamFailed),
  StreamsBehind: ofCompleteRuns(STREAM_METRICS.TimeBudgetExceeded),
  FilterErrors: sumOfStreams(STREAM_METRICS.FilterErrors),
  DeadLetters: sumOfStreams(STREAM_PROPERTIES.DeadLetters),
  ThreatsWithoutAsset: sumOfStreams(STREAM_PROPERTIES.ThreatsWithoutAsset),
  ContractErrors: sumOfStreams(STREAM_PROPERTIES.ContractErrors),
  RoleMissing: sumOfStreams(STREAM_PROPERTIES.RoleMissing),
  /**
   * Withdrawals that wait for a confirmation, because a second walk would withdraw too many rows of
   * a stream.
   */
  WithdrawalsWaiting: sumOfStreams(count('withdrawalsWaiting')),
  CredentialsRefused: ({ outcome }) =>
    [...outcome.failures.values()].some(failure => REFUSALS.some(type => failure instanceof type)),
  /** Whether another run held the lease, which is normal. */
  LeaseHeld: ({ outcome }) => outcome.leaseHeld,
} satisfies Record<string, ConnectorValue>;

/** Properties of the log line that carries the metrics of the connector. They are not metrics. */
export const CONNECTOR_PROPERTIES = {
  /** Resident memory at the end of the run. */
  MemoryUsedMegabytes: ({ memory }) => Math.round(memory / 2 ** 20),
  /** Time left before Lambda's time-out at the end of the run. */
  TimeLeftMilliseconds: ({ timeLeft }) => timeLeft,
} satisfies Record<string, ConnectorValue>;

/**
 * Metrics that are sent even if they are zero. CloudWatch bills a metric for each hour in which it
 * is sent. Therefore a zero of any other metric is only a property of the log line, and alarms take
 * a missing metric as zero. Each run must send `StreamsFailed`, because its absence triggers the
 * alarm on silence. Each run must send `StreamsBehind`, because one run that is not behind ends a
 * backlog.
 */
export const METRICS_SENT_WHEN_ZERO: ReadonlySet<string> = new Set(['RowsRead', 'StreamsFailed', 'StreamsBehind']);

/**
 * Failures that last until somebody fixes them. After such a failure, the first run that reads all
 * streams without a failure sends the metric as zero, once. This zero ends the alarm, because the
 * alarm takes the smallest value of its period: 1, 1, 1, 0 is fixed. While that zero is in the
 * period, the alarm does not fire again: 1, 1, 0, 1 still counts as fixed.
 */
export const LASTING_FAILURES: ReadonlySet<string> = new Set(['CredentialsRefused', 'RoleMissing', 'ContractErrors']);

export type StreamMetric = keyof typeof STREAM_METRICS;
