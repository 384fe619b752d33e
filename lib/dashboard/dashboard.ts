import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { ConnectorMetric, StreamMetric } from '../../lambda/metric-names.ts';
import type { Stream } from '../../lambda/streams.ts';
import type { AlarmSettings, Signal } from '../alarms/alarm-definition.ts';
import type { Alarms } from '../alarms/create-alarms.ts';
import { type Monitored, sourceOf } from '../alarms/metric-sources.ts';
import { PRICES } from '../cost/prices.ts';

export interface DashboardProps {
  readonly monitored: Monitored;
  readonly settings: AlarmSettings;
  readonly streams: readonly Stream[];
  readonly alarms: Alarms;
}

/** One dashboard, read from the top: is the SIEM up to date, what flows, what fails, what it costs. */
export function createDashboard(scope: Construct, props: DashboardProps): cloudwatch.Dashboard {
  const metrics = dashboardMetrics(props.monitored, props.streams);
  return new cloudwatch.Dashboard(scope, 'Dashboard', {
    dashboardName: `security-data-${props.monitored.connectorName}`,
    widgets: [
      [heading('Is the SIEM up to date?')],
      upToDate(metrics, props),
      [heading('Throughput')],
      flows(metrics),
      [heading('Failures')],
      fails(metrics),
      [heading('Cost')],
      [costWidget(metrics, props.settings.memoryMegabytes)],
    ],
  });
}

function upToDate(metrics: DashboardMetrics, { alarms, settings }: DashboardProps): cloudwatch.IWidget[] {
  return [
    new cloudwatch.AlarmStatusWidget({
      title: 'Alarms',
      width: 6,
      height: 6,
      alarms: [alarms.critical, alarms.warning],
    }),
    graph('Runs that caught up with their stream', 9, metrics.stream('CaughtUp')),
    graph('Age of undelivered events (seconds)', 9, [
      ...metrics.service('delivery', `${settings.deliveryMetrics}.DataFreshness`, 'Maximum', 'waits in Firehose'),
      ...metrics.service('siem-queue', 'ApproximateAgeOfOldestMessage', 'Maximum', 'waits for the SIEM'),
    ]),
  ];
}

function flows(metrics: DashboardMetrics): cloudwatch.IWidget[] {
  return [
    graph('Events sent to the SIEM', 8, metrics.stream('EventsForwarded')),
    graph('Rows read, and duplicates', 8, [...metrics.stream('RowsRead'), ...metrics.stream('RowsDeduplicated')]),
    graph('Removals: tombstones, threats withdrawn', 8, [
      ...metrics.stream('Tombstones'),
      ...metrics.stream('TombstonesIgnored'),
      ...metrics.stream('ThreatsWithdrawn'),
    ]),
    graph('Pages, and runs that ran out of time', 8, [
      ...metrics.stream('PagesRead'),
      ...metrics.stream('TimeBudgetExceeded'),
    ]),
    graph('Records in and out of Firehose', 8, metrics.service('delivery', 'IncomingRecords', 'Sum')),
    graph('Notifications to the SIEM', 8, [
      ...metrics.service('siem-queue', 'NumberOfMessagesSent', 'Sum', 'sent'),
      ...metrics.service('siem-queue', 'NumberOfMessagesDeleted', 'Sum', 'read by the SIEM'),
    ]),
  ];
}

function fails(metrics: DashboardMetrics): cloudwatch.IWidget[] {
  return [
    graph('Failed streams, and runs', 8, [
      ...metrics.stream('StreamFailed'),
      ...metrics.service('function', 'Errors', 'Sum', 'failed runs'),
      ...metrics.service('function', 'Throttles', 'Sum', 'runs not started'),
    ]),
    graph('What the API rejects', 8, [
      metrics.connector('CredentialsRefused', 'Sum'),
      ...metrics.stream('RoleMissing'),
      ...metrics.stream('CursorRefused'),
      ...metrics.stream('CursorStalled'),
      ...metrics.stream('ContractErrors'),
    ]),
    graph('Dead letters, and threats without an asset', 8, [
      ...metrics.stream('DeadLetters'),
      ...metrics.stream('ThreatsWithoutAsset'),
    ]),
    graph('The lease', 8, [metrics.connector('LeaseHeld', 'Sum'), metrics.connector('LeaseLost', 'Sum')]),
    graph('Throttling by AWS', 8, [
      ...metrics.service('delivery', 'ThrottledRecords', 'Sum'),
      ...metrics.service('state', 'ReadThrottleEvents', 'Sum'),
      ...metrics.service('state', 'WriteThrottleEvents', 'Sum'),
      ...metrics.stream('DeliveryThrottledMilliseconds'),
    ]),
    graph('Memory used (MB), time left (ms)', 8, [
      metrics.connector('MemoryUsedMegabytes', 'Maximum'),
      metrics.connector('TimeLeftMilliseconds', 'Minimum'),
    ]),
  ];
}

function heading(text: string): cloudwatch.IWidget {
  return new cloudwatch.TextWidget({ markdown: `## ${text}`, width: 24, height: 1 });
}

function graph(title: string, width: number, left: cloudwatch.IMetric[]): cloudwatch.IWidget {
  return new cloudwatch.GraphWidget({ title, width, left, leftYAxis: { min: 0 } });
}

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

/** What a day costs, by part, estimated from counted use. Firehose bills more than these bytes where records are small. */
export function costWidget(metrics: DashboardMetrics, memoryMegabytes: number): cloudwatch.IWidget {
  const gigabyteMillisecond = (PRICES.lambdaGigabyteSecond.dollars * memoryMegabytes) / 1024 / 1000;
  return new cloudwatch.GraphWidget({
    title: 'Estimated US dollars a day (list prices of us-east-1)',
    width: 24,
    stacked: true,
    left: [
      dollars('Lambda', {
        duration: [only(metrics.service('function', 'Duration', 'Sum')), gigabyteMillisecond],
        runs: [only(metrics.service('function', 'Invocations', 'Sum')), PRICES.lambdaRequest.dollars],
      }),
      dollars('DynamoDB', {
        writes: [only(metrics.service('state', 'ConsumedWriteCapacityUnits', 'Sum')), PRICES.tableWriteUnit.dollars],
        reads: [only(metrics.service('state', 'ConsumedReadCapacityUnits', 'Sum')), PRICES.tableReadUnit.dollars],
      }),
      dollars('Firehose', {
        bytes: [only(metrics.service('delivery', 'IncomingBytes', 'Sum')), PRICES.firehoseGigabyte.dollars / 2 ** 30],
      }),
    ],
  });
}

function dollars(label: string, parts: Record<string, [cloudwatch.IMetric, number]>): cloudwatch.MathExpression {
  const terms = Object.entries(parts).map(([name, [, price]]) => `FILL(${name}, 0) * ${price.toFixed(15)}`);
  return new cloudwatch.MathExpression({
    label,
    expression: terms.join(' + '),
    usingMetrics: Object.fromEntries(Object.entries(parts).map(([name, [metric]]) => [name, metric])),
    period: Duration.days(1),
  });
}

function only(metrics: cloudwatch.Metric[]): cloudwatch.Metric {
  return metrics[0] as cloudwatch.Metric;
}
