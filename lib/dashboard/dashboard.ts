import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Stream } from '../../lambda/streams.ts';
import type { Alarms } from '../alarms/alarm-board.ts';
import type { AlarmSettings } from '../alarms/alarm-fact.ts';
import type { Monitored } from '../alarms/alarm-sources.ts';
import { costWidget } from './dashboard-cost.ts';
import { type DashboardMetrics, dashboardMetrics } from './dashboard-metrics.ts';

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
      [heading('What flows')],
      flows(metrics),
      [heading('What fails')],
      fails(metrics),
      [heading('What it costs')],
      [costWidget(metrics, props.settings.memoryMegabytes)],
    ],
  });
}

function upToDate(metrics: DashboardMetrics, { alarms, settings }: DashboardProps): cloudwatch.IWidget[] {
  return [
    new cloudwatch.AlarmStatusWidget({ title: 'Alarms', width: 6, height: 6, alarms: [alarms.page, alarms.ticket] }),
    graph('Walks that reached the end of their stream', 9, metrics.stream('CaughtUp')),
    graph('Age of what has not arrived yet (seconds)', 9, [
      ...metrics.service('delivery', `${settings.deliveryMetrics}.DataFreshness`, 'Maximum', 'waits in Firehose'),
      ...metrics.service('siem-queue', 'ApproximateAgeOfOldestMessage', 'Maximum', 'waits for the SIEM'),
    ]),
  ];
}

function flows(metrics: DashboardMetrics): cloudwatch.IWidget[] {
  return [
    graph('Events sent to the SIEM', 8, metrics.stream('EventsForwarded')),
    graph('Rows read, and rows that the SIEM has already', 8, [
      ...metrics.stream('RowsRead'),
      ...metrics.stream('RowsDeduplicated'),
    ]),
    graph('Removals: tombstones, threats withdrawn', 8, [
      ...metrics.stream('Tombstones'),
      ...metrics.stream('TombstonesIgnored'),
      ...metrics.stream('ThreatsWithdrawn'),
    ]),
    graph('Pages, and walks that ran out of time', 8, [
      ...metrics.stream('PagesRead'),
      ...metrics.stream('TimeBudgetExceeded'),
    ]),
    graph('Records in and out of Firehose', 8, metrics.service('delivery', 'IncomingRecords', 'Sum')),
    graph('Announcements to the SIEM', 8, [
      ...metrics.service('siem-queue', 'NumberOfMessagesSent', 'Sum', 'announced'),
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
    graph('What the API refuses', 8, [
      metrics.connector('CredentialsRefused', 'Sum'),
      ...metrics.stream('RoleMissing'),
      ...metrics.stream('CursorRefused'),
      ...metrics.stream('CursorStalled'),
      ...metrics.stream('ContractErrors'),
    ]),
    graph('Rows that could not be sent, or not be tied to an asset', 8, [
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
    graph('Room left in a run: memory (MB), time (ms)', 8, [
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
