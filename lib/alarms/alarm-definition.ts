import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { CONNECTOR_METRICS, STREAM_METRICS } from '../../lambda/metrics.ts';
import type { StreamName } from '../../lambda/streams.ts';
import type { Timing } from './timing.ts';

/** Most severe first. `critical` pages somebody, `warning` can wait for working hours. Each has a composite alarm of that name, which notifies. */
export const SEVERITIES = ['critical', 'warning'] as const;

export type Severity = (typeof SEVERITIES)[number];

export const AT_RISK = 'At risk: ';

/** Everything about one alarm. Its name is its key in the table, and the heading of its section in the runbook. */
export interface AlarmDefinition {
  readonly severity: Severity;
  /** Arguments of connectorctl that on-call runs first. The section of the runbook begins with the same command. */
  readonly first: string;
  /** Effect of the problem on people. */
  readonly impact: string;
  /** Effect of the problem on the data. Begins with AT_RISK where data may be lost if nobody acts. */
  readonly data: string;
  /** When the alarm goes off. Undefined for a connector that does not have the monitored part. */
  readonly condition: (monitored: Monitored) => Condition | undefined;
}

/** The queues of a reader. */
interface ReaderQueues {
  readonly queue: IQueue;
  readonly deadLetters: Queue | undefined;
}

/** Parts of a connector that have metrics, and the settings that thresholds and periods follow from. */
export interface Monitored {
  readonly connectorName: string;
  readonly function: IFunction;
  readonly state: ITable;
  readonly siem: ReaderQueues | undefined;
  /** Readers in addition to `siem`, by name. */
  readonly siemReaders: Readonly<Record<string, ReaderQueues>>;
  readonly timing: Timing;
  /** The longest that Firehose buffers events. */
  readonly bufferSeconds: number;
  /** Begins the names of Firehose's metrics about the destination, for example `DeliveryToS3.Success`. */
  readonly deliveryMetricPrefix: string;
  /** A metric that the function sends about the whole connector, or about the stream in the options. */
  metric(
    name: keyof typeof CONNECTOR_METRICS | keyof typeof STREAM_METRICS,
    options?: MetricOptions & { readonly stream?: StreamName },
  ): Metric;
  /** A metric of the delivery stream. */
  deliveryMetric(name: string, options?: MetricOptions): Metric;
}

/**
 * When an alarm goes off, in the terms of CloudWatch. For example, this is three errors or more within five minutes, which is the CDK's period:
 *
 *     { metric: lambda.metricErrors(), threshold: 3 }
 */
export interface Condition {
  /** The metric with the statistic and the period that are evaluated. */
  readonly metric: Metric;
  readonly threshold: number;
  /** @default 'at least' */
  readonly comparison?: 'at least' | 'below';
  /** Periods in a row that must meet the threshold. @default 1 */
  readonly evaluationPeriods?: number;
  /**
   * `breaching`: missing data is the problem. `notBreaching`: the service reports nothing while it is healthy. `zero`: as `notBreaching`, but a
   * missing point becomes a zero before the alarm sees it. Otherwise CloudWatch would look for older points, and the alarm would end late.
   *
   * @default 'notBreaching'
   */
  readonly missingData?: 'breaching' | 'notBreaching' | 'zero';
}
