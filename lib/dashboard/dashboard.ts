import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import {
  CONNECTOR_PROPERTIES,
  type ConnectorMetric,
  type ConnectorProperty,
  STREAM_METRICS,
  STREAM_PROPERTIES,
  type StreamMetric,
  type StreamProperty,
} from '../../lambda/metric-names.ts';
import type { Stream } from '../../lambda/streams.ts';
import type { Signal } from '../alarms/alarm-definition.ts';
import { type Monitored, type Source, sourceOf, streamSource } from '../alarms/metric-sources.ts';
import type { Alarms } from '../connector-props.ts';
import type { DeliveryMetricPrefix } from '../delivery/destinations.ts';
import { PRICES } from '../prices.ts';

export interface DashboardProps {
  readonly monitored: Monitored;
  readonly streams: readonly Stream[];
  readonly alarms: Alarms;
  /** Log group in which the function writes the properties that are not metrics. */
  readonly logGroup: ILogGroup;
  readonly deliveryMetrics: DeliveryMetricPrefix;
  readonly memoryMegabytes: number;
}

/** The dashboard, from the top: whether the SIEM is up to date, traffic, failures, cost. */
export function createDashboard(scope: Construct, props: DashboardProps): cloudwatch.Dashboard {
  const metrics = dashboardMetrics(props.monitored, props.streams);
  return new cloudwatch.Dashboard(scope, 'Dashboard', {
    dashboardName: `security-data-${props.monitored.connectorName}`,
    widgets: [
      [heading('Is the SIEM up to date?')],
      upToDate(metrics, props),
      [heading('Throughput')],
      flows(metrics, props),
      [heading('Failures')],
      fails(metrics, props),
      [heading('Cost')],
      [costWidget(metrics, props.memoryMegabytes)],
    ],
  });
}

function upToDate(metrics: DashboardMetrics, { alarms, deliveryMetrics }: DashboardProps): cloudwatch.IWidget[] {
  return [
    new cloudwatch.AlarmStatusWidget({
      title: 'Alarms',
      width: 6,
      height: 6,
      alarms: [alarms.critical, alarms.warning],
    }),
    graph('Streams that failed, or ran out of time', 9, [
      metrics.connector('StreamsFailed', 'Maximum'),
      metrics.connector('StreamsBehind', 'Maximum'),
    ]),
    graph('Age of undelivered events (seconds)', 9, [
      ...metrics.service('delivery', `${deliveryMetrics}.DataFreshness`, 'Maximum', 'waits in Firehose'),
      ...metrics.service('siem-queue', 'ApproximateAgeOfOldestMessage', 'Maximum', 'waits for the SIEM'),
    ]),
  ];
}

function flows(metrics: DashboardMetrics, { logGroup }: DashboardProps): cloudwatch.IWidget[] {
  return [
    graph('Events sent to the SIEM', 8, metrics.stream('EventsForwarded')),
    graph('Rows read, and withheld by filters', 8, [...metrics.stream('RowsRead'), ...metrics.stream('RowsFiltered')]),
    graph('Threats withdrawn, and rows refreshed', 8, [
      ...metrics.stream('ThreatsWithdrawn'),
      ...metrics.stream('RowsRefreshed'),
    ]),
    figures('What became of the rows, by stream', logGroup, [
      STREAM_METRICS.RowsRead,
      STREAM_PROPERTIES.PagesRead,
      STREAM_METRICS.EventsForwarded,
      STREAM_METRICS.RowsFiltered,
      STREAM_METRICS.RowsRefreshed,
      STREAM_PROPERTIES.RowsDeduplicated,
      STREAM_PROPERTIES.RowsSuperseded,
      STREAM_PROPERTIES.Tombstones,
      STREAM_PROPERTIES.TombstonesIgnored,
      STREAM_METRICS.ThreatsWithdrawn,
      STREAM_PROPERTIES.CaughtUp,
    ]),
    graph('Records in and out of Firehose', 12, metrics.service('delivery', 'IncomingRecords', 'Sum')),
    graph('Notifications to the SIEM', 12, [
      ...metrics.service('siem-queue', 'NumberOfMessagesSent', 'Sum', 'sent'),
      ...metrics.service('siem-queue', 'NumberOfMessagesDeleted', 'Sum', 'read by the SIEM'),
    ]),
  ];
}

function fails(metrics: DashboardMetrics, { logGroup }: DashboardProps): cloudwatch.IWidget[] {
  return [
    graph('Failed streams, and runs', 8, [
      ...metrics.stream('StreamFailed'),
      ...metrics.stream('TimeBudgetExceeded'),
      ...metrics.service('function', 'Errors', 'Sum', 'failed runs'),
      ...metrics.service('function', 'Throttles', 'Sum', 'runs not started'),
    ]),
    graph('What the API rejects', 8, [
      metrics.connector('CredentialsRefused', 'Sum'),
      metrics.connector('RoleMissing', 'Sum'),
      metrics.connector('ContractErrors', 'Sum'),
    ]),
    graph('Rows with a fault, or withdrawn by a filter', 8, [
      metrics.connector('DeadLetters', 'Sum'),
      metrics.connector('ThreatsWithoutAsset', 'Sum'),
      metrics.connector('FilterFaults', 'Sum'),
      metrics.connector('RowsWithdrawnByFilter', 'Sum'),
    ]),
    figures('Faults, by stream', logGroup, [
      STREAM_METRICS.StreamFailed,
      STREAM_METRICS.TimeBudgetExceeded,
      STREAM_PROPERTIES.RoleMissing,
      STREAM_PROPERTIES.ContractErrors,
      STREAM_PROPERTIES.CursorRefused,
      STREAM_PROPERTIES.CursorStalled,
      STREAM_PROPERTIES.DeadLetters,
      STREAM_PROPERTIES.OversizeEvents,
      STREAM_PROPERTIES.ThreatsWithoutAsset,
      STREAM_METRICS.FilterFaults,
      STREAM_PROPERTIES.DeliveryThrottledMilliseconds,
    ]),
    graph('The lease', 8, [metrics.connector('LeaseHeld', 'Sum')]),
    graph('Throttling by AWS', 8, [
      ...metrics.service('delivery', 'ThrottledRecords', 'Sum'),
      ...metrics.service('state', 'ReadThrottleEvents', 'Sum'),
      ...metrics.service('state', 'WriteThrottleEvents', 'Sum'),
    ]),
    bounds(logGroup),
  ];
}

function heading(text: string): cloudwatch.IWidget {
  return new cloudwatch.TextWidget({ markdown: `## ${text}`, width: 24, height: 1 });
}

function graph(title: string, width: number, left: cloudwatch.IMetric[]): cloudwatch.IWidget {
  return new cloudwatch.GraphWidget({ title, width, left, leftYAxis: { min: 0 } });
}

/** Sums of properties that are not metrics, read from the log when somebody opens the dashboard. */
function figures(title: string, logGroup: ILogGroup, names: readonly (StreamMetric | StreamProperty)[]) {
  const sums = names.map(name => `sum(${name})`);
  return logTable(title, logGroup, [
    `filter ispresent(${STREAM_METRICS.RowsRead})`,
    `stats ${sums.join(', ')} by stream`,
  ]);
}

function bounds(logGroup: ILogGroup): cloudwatch.IWidget {
  const { MemoryUsedMegabytes: memory, TimeLeftMilliseconds: left }: Record<ConnectorProperty, string> =
    CONNECTOR_PROPERTIES;
  const stats = `stats max(${memory}) as megabytes_used, min(${left}) as milliseconds_left by bin(1h)`;
  return logTable('Memory used, and time left before the timeout', logGroup, [`filter ispresent(${memory})`, stats]);
}

function logTable(title: string, logGroup: ILogGroup, queryLines: string[]): cloudwatch.IWidget {
  return new cloudwatch.LogQueryWidget({
    title,
    width: 24,
    logGroupNames: [logGroup.logGroupName],
    view: cloudwatch.LogQueryVisualizationType.TABLE,
    queryLines,
  });
}

const PERIOD = Duration.minutes(5);

/** The time series that a dashboard of one connector is drawn from. */
export interface DashboardMetrics {
  /** One line per stream. */
  stream(metric: StreamMetric): cloudwatch.Metric[];
  connector(metric: ConnectorMetric, statistic: string): cloudwatch.Metric;
  /** A metric of an AWS service; nothing where this connector has no such part. */
  service(of: Signal['of'], metric: string, statistic: string, label?: string): cloudwatch.Metric[];
}

export function dashboardMetrics(monitored: Monitored, streams: readonly Stream[]): DashboardMetrics {
  const make = (source: Source, metricName: string, statistic: string, label: string) =>
    new cloudwatch.Metric({ ...source, metricName, statistic, label, period: PERIOD });
  return {
    stream: metric =>
      streams.map(({ name }) => make(streamSource(monitored, name), metric, 'Sum', `${name} ${metric}`)),
    connector: (metric, statistic) => make(sourceOf('connector', monitored)!, metric, statistic, metric),
    service: (of, metric, statistic, label = metric) => {
      const source = sourceOf(of, monitored);
      return source ? [make(source, metric, statistic, label)] : [];
    },
  };
}

/** Estimated cost of a day by service. Firehose bills more than these bytes when records are small. */
export function costWidget(metrics: DashboardMetrics, memoryMegabytes: number): cloudwatch.IWidget {
  const gigabyteMillisecond = (PRICES.lambdaGigabyteSecond * memoryMegabytes) / 1024 / 1000;
  return new cloudwatch.GraphWidget({
    title: 'Estimated US dollars a day (list prices of us-east-1)',
    width: 24,
    stacked: true,
    left: [
      dollars('Lambda', {
        duration: [only(metrics.service('function', 'Duration', 'Sum')), gigabyteMillisecond],
        runs: [only(metrics.service('function', 'Invocations', 'Sum')), PRICES.lambdaRequest],
      }),
      dollars('DynamoDB', {
        writes: [only(metrics.service('state', 'ConsumedWriteCapacityUnits', 'Sum')), PRICES.tableWriteUnit],
        reads: [only(metrics.service('state', 'ConsumedReadCapacityUnits', 'Sum')), PRICES.tableReadUnit],
      }),
      dollars('Firehose', {
        bytes: [only(metrics.service('delivery', 'IncomingBytes', 'Sum')), PRICES.firehoseGigabyte / 2 ** 30],
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
