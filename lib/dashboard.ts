import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { MonitoredParts } from './alarms/alarm-definition.ts';
import type { Alarms, StreamMetricName, StreamName } from './connector-props.ts';

export interface DashboardProps {
  readonly monitored: MonitoredParts;
  /** Streams that are switched on. */
  readonly streams: readonly StreamName[];
  readonly alarms: Alarms;
}

/**
 * Creates one page of graphs. From the top, they show whether the SIEM is up to date, traffic,
 * failures, runs and delivery.
 */
export function createDashboard(scope: Construct, { monitored, streams, alarms }: DashboardProps) {
  const { metric, deliveryMetric, deliveryMetricPrefix, function: lambda, state, siem } = monitored;
  const sum = { statistic: cloudwatch.Stats.SUM };
  /** Returns one line for each stream. */
  const byStream = (name: StreamMetricName) =>
    streams.map(stream => metric(name, { stream, label: `${stream} ${name}` }));

  const upToDate = [
    new cloudwatch.AlarmStatusWidget({
      title: 'Alarms',
      width: 8,
      height: 6,
      alarms: [alarms.critical, alarms.warning],
    }),
    graph('Streams that failed, or ran out of time', [metric('StreamsFailed'), metric('StreamsBehind')]),
    graph('Age of undelivered events (seconds)', [
      deliveryMetric(`${deliveryMetricPrefix}.DataFreshness`, { statistic: 'Maximum', label: 'waits in Firehose' }),
      ...(siem ? [siem.queue.metricApproximateAgeOfOldestMessage({ label: 'waits for the SIEM' })] : []),
    ]),
  ];
  const traffic = [
    graph('Events sent to the SIEM', byStream('EventsForwarded')),
    graph('Rows read, and filtered', [...byStream('RowsRead'), ...byStream('RowsFiltered')]),
    graph('Threats withdrawn, and rows refreshed', [...byStream('ThreatsWithdrawn'), ...byStream('RowsRefreshed')]),
  ];
  const failures = [
    graph('Failed, or out of time, by stream', [...byStream('StreamFailed'), ...byStream('TimeBudgetExceeded')]),
    graph('What the API rejects', [metric('CredentialsRefused'), metric('RoleMissing'), metric('ContractErrors')]),
    graph('Rows with an error, or withdrawn by a filter', [
      metric('DeadLetters'),
      metric('ThreatsWithoutAsset'),
      metric('FilterErrors'),
      metric('WithdrawalsWaiting'),
    ]),
  ];
  const runs = [
    graph('Runs', [
      lambda.metricInvocations({ label: 'started' }),
      lambda.metricErrors({ label: 'failed' }),
      lambda.metricThrottles({ label: 'refused by Lambda' }),
      metric('LeaseHeld', { label: 'found the lease held' }),
    ]),
    graph('Longest run (milliseconds)', [lambda.metricDuration({ statistic: 'Maximum' })]),
    graph('Throttling by AWS', [
      deliveryMetric('ThrottledRecords', sum),
      state.metric('ReadThrottleEvents', sum),
      state.metric('WriteThrottleEvents', sum),
    ]),
  ];
  const delivery = [graph('Records into Firehose', [deliveryMetric('IncomingRecords', sum)])];
  if (siem) {
    const sent = siem.queue.metricNumberOfMessagesSent({ label: 'sent' });
    const read = siem.queue.metricNumberOfMessagesDeleted({ label: 'read by the SIEM' });
    delivery.push(graph('Notifications to the SIEM', [sent, read]));
  }

  return new cloudwatch.Dashboard(scope, 'Dashboard', {
    dashboardName: `security-data-${monitored.connectorName}`,
    widgets: [upToDate, traffic, failures, runs, delivery],
  });
}

/** Creates a graph that fills a third of a row. */
function graph(title: string, left: cloudwatch.IMetric[]): cloudwatch.IWidget {
  return new cloudwatch.GraphWidget({ title, width: 8, left, leftYAxis: { min: 0 } });
}
