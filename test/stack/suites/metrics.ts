import { describe, expect, test } from '@jest/globals';
import { Duration } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CONNECTOR_METRICS, STREAM_METRICS } from '../../../lambda/metrics.ts';
import type { ConnectorMetricName, StreamMetricName } from '../../../lib/connector-props.ts';
import type { SecurityDataConnector } from '../../../lib/security-data-connector.ts';
import { construct } from './construct.ts';

describe('a metric of the connector', () => {
  const { connector } = construct();

  test("a metric has its namespace and dimensions, the sum over five minutes, and the app's changes", () => {
    const namespace = 'SecurityDataConnector';
    const period = Duration.minutes(5);
    const sum = { namespace, metricName: 'LeaseHeld', dimensions: { service: 'acme' }, statistic: 'Sum', period };
    expect(connector.metric('LeaseHeld')).toMatchObject(sum);
    const options = { statistic: 'Average', period: Duration.hours(1), label: 'lost' };
    expect(connector.metric('LeaseHeld', options)).toMatchObject(options);
  });

  test('a metric exists for each name that the function sends', () => {
    const ofConnector = Object.keys(CONNECTOR_METRICS) as ConnectorMetricName[];
    const ofStream = Object.keys(STREAM_METRICS) as StreamMetricName[];
    expect(ofConnector.map(name => connector.metric(name).metricName)).toEqual(ofConnector);
    expect(ofStream.map(name => connector.metric(name, { stream: 'assets' }).metricName)).toEqual(ofStream);
  });

  test.each<[string, string, string | undefined, (each: SecurityDataConnector) => Metric]>([
    ['RowsRead', 'Sum', 'assets', each => each.metricRowsRead('assets')],
    ['EventsForwarded', 'Sum', 'threats', each => each.metricEventsForwarded('threats')],
    ['ThreatsWithdrawn', 'Sum', 'threats', each => each.metricThreatsWithdrawn()],
    ['RowsFiltered', 'Sum', 'assets', each => each.metricRowsFiltered('assets')],
    ['RowsRefreshed', 'Sum', 'assets', each => each.metricRowsRefreshed('assets')],
    ['DeadLetters', 'Sum', undefined, each => each.metricDeadLetters()],
    // A sum would count a stream once for each run that reports it.
    ['StreamsFailed', 'Maximum', undefined, each => each.metricStreamsFailed()],
    ['StreamsBehind', 'Maximum', undefined, each => each.metricStreamsBehind()],
  ])('the metric %s has a method of its own and the statistic %s', (metricName, statistic, stream, metric) => {
    const dimensions = { service: 'acme', ...(stream && { stream }) };
    expect(metric(connector)).toMatchObject({ metricName, statistic, dimensions });
  });

  test.each<[string, (each: SecurityDataConnector) => unknown, string]>([
    [
      'of a stream without the option stream',
      each => each.metric('EventsForwarded'),
      'Metrics of a stream need the option stream',
    ],
    ['that the function does not send', each => each.metric('Sent' as ConnectorMetricName), 'Known: StreamsFailed, '],
    ['of the connector with a stream', each => each.metric('LeaseHeld', { stream: 'assets' }), 'Known: RowsRead, '],
    [
      'of a stream that is off',
      each => each.metricRowsRead('dns-blocks'),
      'acme does not read dns-blocks, but assets, threats',
    ],
  ])('a metric %s is refused, because an alarm on it would never fire', (_, metric, text) => {
    expect(() => metric(connector)).toThrow(text);
  });
});
