import { describe, expect, test } from '@jest/globals';
import { Duration } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CONNECTOR_METRICS, STREAM_METRICS } from '../../../lambda/metrics.ts';
import type { ConnectorMetricName, StreamMetricName } from '../../../lib/connector-props.ts';
import type { SecurityDataConnector } from '../../../lib/security-data-connector.ts';
import { construct } from './construct.ts';

const connector = (props: object = {}) => construct(props).connector;

describe('a metric of the connector', () => {
  test('has its namespace, its dimension and a sum over five minutes', () => {
    expect(connector().metric('LeaseHeld')).toMatchObject({
      namespace: 'SecurityDataConnector',
      metricName: 'LeaseHeld',
      dimensions: { service: 'acme' },
      statistic: 'Sum',
      period: Duration.minutes(5),
    });
  });

  test('has the dimension of a stream where one is given', () => {
    expect(connector().metric('EventsForwarded', { stream: 'threats' })).toMatchObject({
      dimensions: { service: 'acme', stream: 'threats' },
    });
  });

  test('takes the options of metrics of the CDK', () => {
    const options = { statistic: 'Average', period: Duration.hours(1), label: 'lost' };
    expect(connector().metric('LeaseHeld', options)).toMatchObject(options);
  });

  test('is there for each name that the function sends', () => {
    const each = connector();
    const ofConnector = Object.keys(CONNECTOR_METRICS) as ConnectorMetricName[];
    const ofStream = Object.keys(STREAM_METRICS) as StreamMetricName[];
    expect(ofConnector.map(name => each.metric(name).metricName)).toEqual(ofConnector);
    expect(ofStream.map(name => each.metric(name, { stream: 'assets' }).metricName)).toEqual(ofStream);
  });

  test('counts failed streams once, however many runs report them', () => {
    const { statistic } = connector().metricStreamsFailed();
    expect([statistic, connector().metricStreamsBehind().statistic]).toEqual(['Maximum', 'Maximum']);
    expect(connector().metricDeadLetters().statistic).toBe('Sum');
  });

  test.each<[string, (each: SecurityDataConnector) => unknown, string]>([
    [
      'of a stream without one',
      each => each.metric('EventsForwarded'),
      "EventsForwarded is not a metric of the whole connector. It is a metric of a stream: give { stream: 'assets' }.",
    ],
    [
      'that nothing sends',
      each => each.metric('Sent' as ConnectorMetricName),
      'Sent is not a metric of the whole connector. Known: StreamsFailed, ',
    ],
    [
      'of the connector with a stream',
      each => each.metric('LeaseHeld', { stream: 'assets' }),
      'LeaseHeld is not a metric of a stream. Known: RowsRead, ',
    ],
    [
      'of a stream that is off',
      each => each.metricEventsForwarded('dns-blocks'),
      'Connector acme does not read dns-blocks. Its streams: assets, threats',
    ],
  ])('is refused %s, because an alarm on it would never go off', (_, metric, text) => {
    expect(() => metric(connector())).toThrow(text);
  });
});

test.each([
  ['RowsRead', 'assets', each => each.metricRowsRead('assets')],
  ['EventsForwarded', 'threats', each => each.metricEventsForwarded('threats')],
  ['ThreatsWithdrawn', 'threats', each => each.metricThreatsWithdrawn()],
  ['RowsFiltered', 'assets', each => each.metricRowsFiltered('assets')],
  ['RowsRefreshed', 'assets', each => each.metricRowsRefreshed('assets')],
] as readonly [string, string, (each: SecurityDataConnector) => Metric][])(
  'the metric %s of the stream %s has a method of its own',
  (metricName, stream, metric) => {
    expect(metric(connector())).toMatchObject({
      metricName,
      dimensions: { service: 'acme', stream },
      statistic: 'Sum',
    });
  },
);

describe('the alarms of the construct', () => {
  test('are there by name, where the connector has them', () => {
    const { byName } = connector({ alarms: { 'filter-errors': false } }).alarms;
    expect(byName['stream-silent']!.metric).toBeDefined();
    expect([byName['filter-errors'], byName['delivery-backup-used']]).toEqual([undefined, undefined]);
  });
});
