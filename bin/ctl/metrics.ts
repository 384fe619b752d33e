/** Reads metrics from CloudWatch. */
import { type MetricDataQuery, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import { DIMENSIONS, METRIC_NAMESPACE, type StreamMetric } from '../../lambda/metric-names.ts';
import type { StreamName } from '../../lambda/streams.ts';
import { type Aws, collected } from './aws.ts';
import { awsCall } from './errors.ts';

export interface Series {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: 'Sum' | 'Maximum' | 'SampleCount';
  /** Seconds per point, a multiple of 60. */
  readonly period: number;
}

/** A metric that runs report of a stream. */
export function streamSeries(
  { connector, stream }: { readonly connector: string; readonly stream: StreamName },
  metric: StreamMetric,
  statistic: Series['statistic'],
  period: number,
): Series {
  const dimensions = { [DIMENSIONS.connector]: connector, [DIMENSIONS.stream]: stream };
  return { namespace: METRIC_NAMESPACE, metric, dimensions, statistic, period };
}

/** Age of the oldest message of a queue, in seconds. */
export function oldestMessageSeries(queueUrl: string): Series {
  const dimensions = { QueueName: queueUrl.slice(queueUrl.lastIndexOf('/') + 1) };
  return {
    namespace: 'AWS/SQS',
    metric: 'ApproximateAgeOfOldestMessage',
    dimensions,
    statistic: 'Maximum',
    period: 300,
  };
}

export interface Point {
  /** Start of its period, in milliseconds since 1970. */
  readonly time: number;
  readonly value: number;
}

export interface Span {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** According to this machine. */
  readonly now: number;
}

/** Milliseconds read beyond now: if this machine's clock is slow, the newest points must not be missing. */
const AHEAD = 5 * 60_000;

/** @param series at most 500, CloudWatch's limit @returns the points of each in this order, newest first @throws AwsCallError */
export async function readMetrics(aws: Aws, series: readonly Series[], { start, now }: Span): Promise<Point[][]> {
  const input = {
    MetricDataQueries: series.map(queryOf),
    StartTime: new Date(start),
    EndTime: new Date(now + AHEAD),
    ScanBy: 'TimestampDescending' as const,
  };
  const results = await awsCall(
    collected(paginateGetMetricData({ client: aws.cloudWatch() }, input), page => page.MetricDataResults),
    'The metrics could not be read',
    'Nothing was changed.',
  );
  const points: Point[][] = series.map(() => []);
  for (const { Id: id = '', Timestamps: times = [], Values: values = [] } of results) {
    points[Number(id.slice(1))]?.push(...times.map((time, at) => ({ time: time.getTime(), value: values[at] ?? 0 })));
  }
  return points;
}

function queryOf({ namespace, metric, dimensions, statistic, period }: Series, place: number): MetricDataQuery {
  const pairs = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  const Metric = { Namespace: namespace, MetricName: metric, Dimensions: pairs };
  return { Id: `s${place}`, MetricStat: { Metric, Period: period, Stat: statistic } };
}
