/**
 * Every metric that the function emits (CloudWatch embedded metric format), shared with the alarms and the dashboard.
 *
 * Dimensions: `service` is the connector's name; metrics of a stream also have `stream`.
 */
export const METRIC_NAMESPACE = 'SecurityDataConnector';

export const DIMENSIONS = { connector: 'service', stream: 'stream' } as const;

/**
 * Emitted once a stream and run, with the dimensions `service` and `stream`: what `connectorctl status` shows of each stream. Each is billed
 * for every stream, so everything else about a stream is a property.
 */
export const STREAM_METRICS = {
  /** Rows read. Sent even when zero, so that `status` can see that a run took place. */
  RowsRead: 'RowsRead',
  /** Events acknowledged by the delivery stream, of every kind. */
  EventsForwarded: 'EventsForwarded',
  ThreatsWithdrawn: 'ThreatsWithdrawn',
  /** Rows that exist and that the stream's filter excludes. */
  RowsFiltered: 'RowsFiltered',
  /** Rows that were sent again so that the SIEM does not forget them. */
  RowsRefreshed: 'RowsRefreshed',
  /** Rows for which the filter gave an error or no boolean. They are sent. */
  FilterErrors: 'FilterErrors',
  /** 1 when the stream failed in this run, else 0. */
  StreamFailed: 'StreamFailed',
  /** 1 when the walk ended before the end of the stream, by the time budget or at a cursor that leads back, else 0. */
  TimeBudgetExceeded: 'TimeBudgetExceeded',
} as const;

/**
 * In the same log lines as the metrics of a stream, but no metrics, because each metric is billed. CloudWatch Logs Insights reads both alike.
 */
export const STREAM_PROPERTIES = {
  /** 1 when the walk reached the end of the stream with everything saved, else 0. */
  CaughtUp: 'CaughtUp',
  PagesRead: 'PagesRead',
  /** Pages that were read again, for a second walk or for a refresh. */
  PagesReadAgain: 'PagesReadAgain',
  /** Rows that the SIEM already has, recognized by the window or by their state. */
  Duplicates: 'Duplicates',
  /** Rows that a later row of their page replaced. */
  RowsSuperseded: 'RowsSuperseded',
  Tombstones: 'Tombstones',
  /** Tombstones of assets that were never sent. They are not sent either. */
  UnknownTombstones: 'UnknownTombstones',
  /** Rows written to the dead-letter prefix. */
  DeadLetters: 'DeadLetters',
  /** Dead letters for which a small event was sent as well. */
  OversizeEvents: 'OversizeEvents',
  /** Threats that do not name their asset. */
  ThreatsWithoutAsset: 'ThreatsWithoutAsset',
  /** Walks that ended at a cursor that they had already followed. */
  CursorStalled: 'CursorStalled',
  /** 400 request/invalid-cursor answers. */
  CursorRefused: 'CursorRefused',
  /** Answers that do not fit the API's contract. */
  ContractErrors: 'ContractErrors',
  /** 403 auth/insufficient-role answers. */
  RoleMissing: 'RoleMissing',
  /** 1 when the stream ended its run early, because the answer to a write was unclear. */
  UnclearWrites: 'UnclearWrites',
  /** Milliseconds that Firehose throttling held the stream up. */
  DeliveryThrottledMilliseconds: 'DeliveryThrottledMilliseconds',
} as const;

/** Per-stream counts that an alarm needs as a sum over all streams. */
export const SUMMED_COUNTS = [
  'FilterErrors',
  'DeadLetters',
  'ThreatsWithoutAsset',
  'ContractErrors',
  'RoleMissing',
] as const satisfies readonly (keyof typeof STREAM_PROPERTIES | keyof typeof STREAM_METRICS)[];

/** Emitted once per run, with the dimension `service`. The alarms monitor these metrics. */
export const CONNECTOR_METRICS = {
  /** Failed streams. Sent only by runs of all streams, so that a partial run does not clear the alarm. */
  StreamsFailed: 'StreamsFailed',
  /** Streams whose walk ended before their end, by the time budget or at a cursor that leads back. Sent only by runs of all streams. */
  StreamsBehind: 'StreamsBehind',
  ...(Object.fromEntries(SUMMED_COUNTS.map(name => [name, name])) as {
    [Name in (typeof SUMMED_COUNTS)[number]]: Name;
  }),
  /** Withdrawals that wait for a confirmation: a second walk would withdraw too much of a stream. */
  WithdrawalsWaiting: 'WithdrawalsWaiting',
  /** 1 when the token endpoint or the API refused the credentials or the account, else 0. */
  CredentialsRefused: 'CredentialsRefused',
  /** 1 when another run held the lease, which is normal, else 0. */
  LeaseHeld: 'LeaseHeld',
} as const;

/** In the same log line as the metrics of the connector, but no metrics. */
export const CONNECTOR_PROPERTIES = {
  /** Resident memory at the end of the run, in megabytes. */
  MemoryUsedMegabytes: 'MemoryUsedMegabytes',
  /** Time left before Lambda's time-out at the end of the run, in milliseconds. */
  TimeLeftMilliseconds: 'TimeLeftMilliseconds',
} as const;

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

export type StreamProperty = keyof typeof STREAM_PROPERTIES;
export type StreamMetric = keyof typeof STREAM_METRICS;
export type ConnectorMetric = keyof typeof CONNECTOR_METRICS;
export type ConnectorProperty = keyof typeof CONNECTOR_PROPERTIES;
