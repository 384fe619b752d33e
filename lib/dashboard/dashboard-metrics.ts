import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { ConnectorMetric, StreamMetric } from '../../lambda/metric-names.ts';
import type { Stream } from '../../lambda/streams.ts';
import type { Signal } from '../alarms/alarm-fact.ts';
import { type Monitored, sourceOf } from '../alarms/alarm-sources.ts';

const PERIOD = Duration.minutes(5);

/** The time series that a dashboard of one connector is drawn from. */
export interface DashboardMetrics {
  /** One line a stream. */
  stream(metric: StreamMetric): cloudwatch.Metric[];
  connector(metric: ConnectorMetric, statistic: string): cloudwatch.Metric;
  /** A metric of an AWS service; nothing where this connector has no such part. */
  service(of: Signal['of'], metric: string, statistic: string, label?: string): cloudwatch.Metric[];
}

export function dashboardMetrics(monitored: Monitored, streams: readonly Stream[]): DashboardMetrics {
  const make = (of: Signal['of'], metricName: string, statistic: string, label: string, stream?: string) => {
    const source = sourceOf(of, monitored, stream);
    return source ? [new cloudwatch.Metric({ ...source, metricName, statistic, label, period: PERIOD })] : [];
  };
  return {
    stream: metric => streams.flatMap(({ name }) => make('stream', metric, 'Sum', `${name} ${metric}`, name)),
    connector: (metric, statistic) => make('connector', metric, statistic, metric)[0] as cloudwatch.Metric,
    service: (of, metric, statistic, label = metric) => make(of, metric, statistic, label),
  };
}
