/** Reads metrics from CloudWatch. */
import { type MetricDataQuery, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import type { Aws } from './aws.ts';
import { AwsCallError } from './errors.ts';

export interface Series {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: 'Sum' | 'Maximum' | 'SampleCount';
  /** Seconds per point, a multiple of 60. */
  readonly period: number;
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

/** CloudWatch's limit per request. */
const MOST_SERIES = 500;

/** Milliseconds read beyond now: if this machine's clock is slow, the newest points must not be missing. */
const AHEAD = 5 * 60_000;

/** @returns the points of each series in the given order, newest point first @throws AwsCallError */
export async function readMetrics(aws: Aws, series: readonly Series[], span: Span): Promise<Point[][]> {
  const points: Point[][] = series.map(() => []);
  try {
    for (let from = 0; from < series.length; from += MOST_SERIES) {
      const queries = series.slice(from, from + MOST_SERIES).map((each, place) => queryOf(each, from + place));
      await readInto(points, aws, queries, span);
    }
  } catch (cause) {
    throw new AwsCallError(
      'The metrics could not be read',
      'Nothing was changed. You need cloudwatch:GetMetricData.',
      cause,
    );
  }
  return points;
}

async function readInto(points: Point[][], aws: Aws, queries: MetricDataQuery[], { start, now }: Span): Promise<void> {
  const input = {
    MetricDataQueries: queries,
    StartTime: new Date(start),
    EndTime: new Date(now + AHEAD),
    ScanBy: 'TimestampDescending' as const,
  };
  for await (const { MetricDataResults = [] } of paginateGetMetricData({ client: aws.cloudWatch() }, input)) {
    for (const { Id: id = '', Timestamps: times = [], Values: values = [] } of MetricDataResults) {
      points[Number(id.slice(1))]?.push(...times.map((time, at) => ({ time: time.getTime(), value: values[at] ?? 0 })));
    }
  }
}

function queryOf({ namespace, metric, dimensions, statistic, period }: Series, place: number): MetricDataQuery {
  const pairs = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  const Metric = { Namespace: namespace, MetricName: metric, Dimensions: pairs };
  return { Id: `s${place}`, MetricStat: { Metric, Period: period, Stat: statistic } };
}
