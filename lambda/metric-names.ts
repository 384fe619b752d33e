/**
 * Every metric that the function emits (CloudWatch embedded metric format), shared with the alarms and the dashboard.
 *
 * Dimensions: `service` is the connector's name; metrics of a stream also have `stream`.
 */
export const METRIC_NAMESPACE = 'SecurityDataConnector';

export const DIMENSIONS = { connector: 'service', stream: 'stream' } as const;

/** Emitted once a stream and run, with the dimensions `service` and `stream`. Counts of this run; zero is emitted too. */
export const STREAM_METRICS = {
  /** 1 when the walk reached the end of the stream with everything saved. Silence is the alarm. */
  CaughtUp: 'CaughtUp',
  /** 1 when the stream failed in this run, else 0. */
  StreamFailed: 'StreamFailed',
  /** 1 when the time budget ended the walk before the end of the stream, else 0. */
  TimeBudgetExceeded: 'TimeBudgetExceeded',
  PagesRead: 'PagesRead',
  RowsRead: 'RowsRead',
  /** Events acknowledged by the delivery stream, of every kind. */
  EventsForwarded: 'EventsForwarded',
  /** Rows that the SIEM already has, recognised by the window or by their state. */
  RowsDeduplicated: 'RowsDeduplicated',
  Tombstones: 'Tombstones',
  /** Tombstones of assets never seen, which are not forwarded. */
  TombstonesIgnored: 'TombstonesIgnored',
  ThreatsWithdrawn: 'ThreatsWithdrawn',
  /** Rows that the stream's filter withholds. */
  RowsFiltered: 'RowsFiltered',
  /** Rows that were sent again so that the SIEM does not forget them. */
  RowsRefreshed: 'RowsRefreshed',
  /** Rows for which the filter gave an error or no boolean. They are sent. */
  FilterFaults: 'FilterFaults',
  /** Rows written to the dead-letter prefix. */
  DeadLetters: 'DeadLetters',
  /** Threats that do not name their asset. */
  ThreatsWithoutAsset: 'ThreatsWithoutAsset',
  /** Walks that stopped at a cursor that came back unchanged without anything new. */
  CursorStalled: 'CursorStalled',
  /** 400 request/invalid-cursor answers. */
  CursorRefused: 'CursorRefused',
  /** Answers that do not fit the API's contract. */
  ContractErrors: 'ContractErrors',
  /** 403 auth/insufficient-role answers. */
  RoleMissing: 'RoleMissing',
  /** Milliseconds that Firehose throttling held the stream up. */
  DeliveryThrottledMilliseconds: 'DeliveryThrottledMilliseconds',
} as const;

/**
 * In the same log lines as the metrics of a stream, but no metrics, because each metric is billed: with them the rows that were
 * read add up.
 */
export const STREAM_PROPERTIES = {
  /** Rows that a later row of their page replaced. */
  RowsSuperseded: 'RowsSuperseded',
  /** Dead letters for which a small event was sent as well. */
  OversizeEvents: 'OversizeEvents',
} as const;

/** Emitted once a run, with the dimension `service`. */
export const CONNECTOR_METRICS = {
  /** 1 when the token endpoint or the API refused the credentials or the account, else 0. */
  CredentialsRefused: 'CredentialsRefused',
  /** 1 when another run held the lease, which is normal, else 0. */
  LeaseHeld: 'LeaseHeld',
  /** 1 when the lease was lost or could not be renewed while running, else 0. */
  LeaseLost: 'LeaseLost',
  /** Resident memory at the end of the run, in megabytes. */
  MemoryUsedMegabytes: 'MemoryUsedMegabytes',
  /** Time left before Lambda's time-out at the end of the run, in milliseconds. */
  TimeLeftMilliseconds: 'TimeLeftMilliseconds',
} as const;

/**
 * Metrics that are left out instead of being zero. CloudWatch bills a metric for each hour in which it is sent, and its alarms treat missing
 * data as they would zero. `CaughtUp` is never zero, because the alarm on silence counts what is there.
 */
export const OMITTED_WHEN_ZERO: ReadonlySet<string> = new Set([
  'CaughtUp',
  'RowsFiltered',
  'RowsRefreshed',
  'FilterFaults',
]);

export type StreamProperty = keyof typeof STREAM_PROPERTIES;
export type StreamMetric = keyof typeof STREAM_METRICS;
export type ConnectorMetric = keyof typeof CONNECTOR_METRICS;
