import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { CONNECTOR_METRICS, STREAM_METRICS } from '../../lambda/metrics.ts';
import type { StreamName } from '../../lambda/streams.ts';
import type { AlarmTiming } from './timing.ts';

/**
 * Severities, the most severe first. `critical` pages somebody, but `warning` can wait for working
 * hours. Each severity has a composite alarm of the same name, which notifies on-call.
 */
export const SEVERITIES = ['critical', 'warning'] as const;

export type Severity = (typeof SEVERITIES)[number];

export const AT_RISK = 'At risk: ';

/**
 * Describes one alarm. The name of the alarm is its key in the list of alarms.ts, and the heading
 * of its section in the runbook.
 */
export interface AlarmDefinition {
  readonly severity: Severity;
  /**
   * Arguments of connectorctl that on-call runs first. The section of the runbook begins with the
   * same command.
   */
  readonly first: string;
  /** Effect of the problem on people. */
  readonly impact: string;
  /**
   * Effect of the problem on the data. It begins with AT_RISK if data may be lost when nobody acts.
   */
  readonly data: string;
  /**
   * Returns the condition under which the alarm goes off. It is undefined for a connector that does
   * not have the monitored part.
   */
  readonly condition: (monitored: MonitoredParts) => AlarmCondition | undefined;
}

/** The queues of a reader. */
interface ReaderQueues {
  readonly queue: IQueue;
  readonly deadLetters: Queue | undefined;
}

/**
 * Parts of a connector that have metrics, and the settings from which thresholds and periods
 * follow.
 */
export interface MonitoredParts {
  readonly connectorName: string;
  readonly function: IFunction;
  readonly state: ITable;
  readonly siem: ReaderQueues | undefined;
  /** Readers in addition to `siem`, by name. */
  readonly siemReaders: Readonly<Record<string, ReaderQueues>>;
  readonly timing: AlarmTiming;
  /** Longest time for which Firehose buffers events, in seconds. */
  readonly bufferSeconds: number;
  /**
   * Beginning of the names of Firehose's metrics about the destination, for example
   * `DeliveryToS3.Success`.
   */
  readonly deliveryMetricPrefix: string;
  /**
   * Returns a metric that the function sends about the whole connector, or about the stream in the
   * options.
   */
  metric(
    name: keyof typeof CONNECTOR_METRICS | keyof typeof STREAM_METRICS,
    options?: MetricOptions & { readonly stream?: StreamName },
  ): Metric;
  /** Returns a metric of the delivery stream. */
  deliveryMetric(name: string, options?: MetricOptions): Metric;
}

/**
 * Condition under which an alarm goes off, in the terms of CloudWatch. For example, this condition
 * is met by three or more errors within five minutes, which is the CDK's default period:
 *
 *     { metric: lambda.metricErrors(), threshold: 3 }
 */
export interface AlarmCondition {
  /** Metric with the statistic and the period that are evaluated. */
  readonly metric: Metric;
  readonly threshold: number;
  /** @default 'at least' */
  readonly comparison?: 'at least' | 'below';
  /** Number of consecutive periods that must meet the threshold. @default 1 */
  readonly evaluationPeriods?: number;
  /**
   * Treatment of missing data. `breaching`: missing data is the problem. `notBreaching`: the
   * service reports nothing while it is healthy. `zero`: as `notBreaching`, but a missing point
   * becomes a zero before the alarm evaluates it. Otherwise CloudWatch would look for older points,
   * and the alarm would end late.
   *
   * @default 'notBreaching'
   */
  readonly missingData?: 'breaching' | 'notBreaching' | 'zero';
}
