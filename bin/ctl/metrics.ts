/** Reads metrics from CloudWatch. */
import { type Metric, type MetricStat, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import { DIMENSIONS, METRIC_NAMESPACE, type StreamMetric } from '../../lambda/metrics.ts';
import type { StreamName } from '../../lambda/streams.ts';
import { type Aws, collectItems } from './aws.ts';
import { awsCall } from './errors.ts';

/**
 * A metric with its statistic, its dimensions and its period in seconds, which is a multiple of 60.
 */
export type MetricSeries = MetricStat;

/** A metric that runs report for each stream. */
export function streamSeries(
  { connector, stream }: { readonly connector: string; readonly stream: StreamName },
  metric: StreamMetric,
  statistic: 'Sum' | 'SampleCount',
  period: number,
): MetricSeries {
  const dimensions = { [DIMENSIONS.connector]: connector, [DIMENSIONS.stream]: stream };
  return { Metric: metricOf(METRIC_NAMESPACE, metric, dimensions), Period: period, Stat: statistic };
}

/** Age of the oldest message of a queue, in seconds. */
export function oldestMessageSeries(queueUrl: string): MetricSeries {
  const QueueName = queueUrl.slice(queueUrl.lastIndexOf('/') + 1);
  return ageSeries(metricOf('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName }));
}

/**
 * Age of the oldest event that Firehose has not delivered, in seconds.
 *
 * @param kind prefix of the metric, for example `DeliveryToS3`
 */
export function freshnessSeries(DeliveryStreamName: string, kind: string): MetricSeries {
  return ageSeries(metricOf('AWS/Firehose', `${kind}.DataFreshness`, { DeliveryStreamName }));
}

function ageSeries(metric: Metric): MetricSeries {
  return { Metric: metric, Period: 300, Stat: 'Maximum' };
}

function metricOf(Namespace: string, MetricName: string, dimensions: Readonly<Record<string, string>>): Metric {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  return { Namespace, MetricName, Dimensions };
}

export interface MetricPoint {
  /** Start of the period, in milliseconds since 1970. */
  readonly time: number;
  readonly value: number;
}

/**
 * Milliseconds after the current time for which points are read, too. Otherwise the newest points
 * would be missing if the clock of this machine is slow.
 */
const AHEAD = 5 * 60_000;

/**
 * @param series at most 500 series, which is CloudWatch's limit
 * @param span milliseconds before `now` that are read
 * @returns the points of each series, newest first, in the order of `series`
 * @throws AwsCallError
 */
export async function readMetrics(
  aws: Aws,
  series: readonly MetricSeries[],
  now: number,
  span: number,
): Promise<MetricPoint[][]> {
  const input = {
    MetricDataQueries: series.map((MetricStat, at) => ({ Id: `s${at}`, MetricStat })),
    StartTime: new Date(now - span),
    EndTime: new Date(now + AHEAD),
    ScanBy: 'TimestampDescending' as const,
  };
  const results = await awsCall(
    collectItems(paginateGetMetricData({ client: aws.cloudWatch() }, input), page => page.MetricDataResults),
    'The metrics could not be read',
  );
  const points: MetricPoint[][] = series.map(() => []);
  for (const { Id: id = '', Timestamps: times = [], Values: values = [] } of results) {
    points[Number(id.slice(1))]?.push(...times.map((time, at) => ({ time: time.getTime(), value: values[at] ?? 0 })));
  }
  return points;
}
