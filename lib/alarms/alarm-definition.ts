import type { ConnectorMetric } from '../../lambda/metric-names.ts';
import type { AlarmName } from '../connector-props.ts';
import type { DeliveryMetricPrefix } from '../delivery/destinations.ts';
import type { Timing } from './timing.ts';

/** Facts of a connector that thresholds and periods depend on. */
export interface AlarmSettings extends DeliverySettings {
  readonly timing: Timing;
  readonly bufferSeconds: number;
}

/** Facts that decide which alarms a connector has. */
export interface DeliverySettings {
  readonly deliveryMetrics: DeliveryMetricPrefix;
}

/** One time series, named by its subject. Namespace and dimensions follow from it. */
export type Signal =
  | { readonly of: 'connector'; readonly metric: ConnectorMetric }
  | { readonly of: 'function'; readonly metric: 'Errors' }
  | { readonly of: 'state'; readonly metric: never }
  | { readonly of: 'delivery'; readonly metric: DeliveryMetric }
  | { readonly of: 'siem-queue' | 'siem-dead-letters'; readonly metric: QueueMetric };

type DeliveryMetric = 'BackupToS3.Records' | `${DeliveryMetricPrefix}.${'DataFreshness' | 'Success'}`;
type QueueMetric = 'ApproximateAgeOfOldestMessage' | 'ApproximateNumberOfMessagesVisible';

/** When a time series is an alarm: `statistic` over each `period` is `atLeast`, `atMost` or `below`, in `periods` periods in a row. */
export type Condition = {
  readonly statistic: 'Average' | 'Maximum' | 'Minimum' | 'Sum';
  /** Minutes. */
  readonly period: number;
  /** @default 1 */
  readonly periods?: number;
} & ({ readonly atLeast: number } | { readonly atMost: number } | { readonly below: number });

/** Most severe first. `critical` pages somebody, `warning` can wait for working hours. Each has a composite alarm of that name, which notifies. */
export const SEVERITIES = ['critical', 'warning'] as const;

export type Severity = (typeof SEVERITIES)[number];

export const AT_RISK = 'At risk: ';

/**
 * Everything about one alarm. The type requires what the fault means for people (`impact`) and for the data (`data`), and how missing
 * data points are treated (`missing`). `name` is the heading of its section in the runbook.
 */
export interface AlarmDefinition {
  readonly name: AlarmName;
  readonly severity: Severity;
  /** Arguments of connectorctl that on-call runs first. The section of the runbook begins with the same command. */
  readonly first: string;
  readonly impact: string;
  /** Begins with AT_RISK where data may be lost if nobody acts. */
  readonly data: string;
  readonly signal: Signal | ((settings: DeliverySettings) => Signal);
  readonly when: (settings: AlarmSettings) => Condition;
  /**
   * `breaching`: missing data is the fault. `notBreaching`: the service reports nothing while it is healthy. `zero`: as `notBreaching`, but a
   * missing point becomes a zero before the alarm sees it. Otherwise CloudWatch would look for older points, and the alarm would end late.
   */
  readonly missing: 'breaching' | 'notBreaching' | 'zero';
  /** Connectors that get this alarm. Default: every connector. */
  readonly applies?: (settings: DeliverySettings) => boolean;
}
