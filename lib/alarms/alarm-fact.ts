import type { Duration } from 'aws-cdk-lib';
import type { ConnectorMetric, StreamMetric } from '../../lambda/metric-names.ts';
import type { DeliveryMetricPrefix } from '../delivery/destination.ts';
import type { Timing } from './timing.ts';

/** What the numbers of an alarm depend on. */
export interface AlarmSettings {
  readonly timing: Timing;
  readonly memoryMegabytes: number;
  readonly bufferSeconds: number;
  readonly deliveryMetrics: DeliveryMetricPrefix;
  /** Whether Firehose converts the events. */
  readonly converts: boolean;
}

/** One time series, named by what it is about. The namespace and the dimensions follow from that. */
export type Signal =
  | { readonly of: 'stream'; readonly metric: StreamMetric }
  | { readonly of: 'connector'; readonly metric: ConnectorMetric }
  | { readonly of: 'function'; readonly metric: 'Errors' | 'Throttles' }
  | { readonly of: 'state'; readonly metric: 'ReadThrottleEvents' | 'WriteThrottleEvents' }
  | { readonly of: 'delivery'; readonly metric: DeliveryMetric }
  | { readonly of: 'schedule-dead-letters' | 'siem-queue' | 'siem-dead-letters'; readonly metric: QueueMetric };

type DeliveryMetric =
  | 'ThrottledRecords'
  | 'BackupToS3.Records'
  | 'FailedConversion.Records'
  | `${DeliveryMetricPrefix}.${'DataFreshness' | 'Success'}`;
type QueueMetric = 'ApproximateAgeOfOldestMessage' | 'ApproximateNumberOfMessagesVisible';

/** When a time series is an alarm: `statistic` over each `period` is `atLeast` or `atMost`, `periods` times on end. */
export type Condition = {
  readonly statistic: 'Average' | 'Maximum' | 'Minimum' | 'Sum';
  readonly period: Duration;
  /** @default 1 */
  readonly periods?: number;
} & ({ readonly atLeast: number } | { readonly atMost: number } | { readonly below: number });

/**
 * Everything about one alarm. None can be written down without what it does to people (`impact`), what it does to the data (`data`)
 * and how silence is read (`missing`). Its `name` is the heading of its section in the runbook.
 */
export interface AlarmDefinition {
  readonly name: string;
  /** `page` wakes somebody up; `ticket` waits for the morning. */
  readonly urgency: 'page' | 'ticket';
  /** What on-call types first, behind `connectorctl`: the command that the section of the runbook begins with. */
  readonly first: string;
  readonly impact: string;
  readonly data: string;
  readonly signal: Signal | ((settings: AlarmSettings) => Signal);
  readonly when: (settings: AlarmSettings) => Condition;
  /**
   * `breaching`: silence is the fault. `notBreaching`: the service is silent when all is well. `zero`: likewise, of a service whose silence
   * CloudWatch always ignores, so that its alarm would never end (DynamoDB). `ignore`: each run says it anew.
   */
  readonly missing: 'breaching' | 'notBreaching' | 'zero' | 'ignore';
  /** Streams that it watches, by name; every stream unless said. */
  readonly streams?: (stream: { readonly cascadesFrom?: string }) => boolean;
  /** Where it makes sense; everywhere unless said. */
  readonly applies?: (settings: AlarmSettings) => boolean;
}
