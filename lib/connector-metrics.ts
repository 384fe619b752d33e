/** Metrics of a connector, for the alarms and dashboards of an app. */
import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import { CONNECTOR_METRICS, DIMENSIONS, METRIC_NAMESPACE, STREAM_METRICS } from '../lambda/metrics.ts';
import type { ConnectorMetricName, ConnectorMetricOptions, StreamMetricName, StreamName } from './connector-props.ts';

/** Connector and streams that the metrics describe. */
export interface MetricSubject {
  readonly connectorName: string;
  /** Streams that are switched on. */
  readonly streams: readonly StreamName[];
}

// The compiler checks that the published names are exactly the names that the function sends.
const OF_CONNECTOR = Object.keys(CONNECTOR_METRICS satisfies Record<ConnectorMetricName, unknown>);
const OF_STREAM = Object.keys(STREAM_METRICS satisfies Record<StreamMetricName, unknown>);

const PERIOD = Duration.minutes(5);

/**
 * @throws Error for a name that the connector or the stream does not send, because an alarm on it
 * would never go off
 */
export function connectorMetric(
  subject: MetricSubject,
  name: ConnectorMetricName | StreamMetricName,
  { stream, ...options }: ConnectorMetricOptions = {},
): cloudwatch.Metric {
  const names = stream === undefined ? OF_CONNECTOR : OF_STREAM;
  if (!names.includes(name)) {
    const subjectText =
      stream === undefined ? 'the whole connector. Metrics of a stream need the option stream' : 'a stream';
    throw new Error(`${name} is not a metric of ${subjectText}. Known: ${names.join(', ')}`);
  }
  if (stream !== undefined && !subject.streams.includes(stream)) {
    throw new Error(`Connector ${subject.connectorName} does not read ${stream}, but ${subject.streams.join(', ')}`);
  }
  return new cloudwatch.Metric({
    namespace: METRIC_NAMESPACE,
    metricName: name,
    // These metrics count streams, and a sum would count a stream once for each run.
    statistic: ['StreamsFailed', 'StreamsBehind'].includes(name) ? cloudwatch.Stats.MAXIMUM : cloudwatch.Stats.SUM,
    period: PERIOD,
    ...options,
    dimensionsMap: {
      [DIMENSIONS.connector]: subject.connectorName,
      ...(stream && { [DIMENSIONS.stream]: stream }),
      ...options.dimensionsMap,
    },
  });
}

/**
 * Returns a metric of a delivery stream, as the average over five minutes unless the options say
 * otherwise.
 */
export function deliveryMetric(
  { deliveryStreamRef }: IDeliveryStreamRef,
  metricName: string,
  options?: cloudwatch.MetricOptions,
): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: 'AWS/Firehose',
    metricName,
    dimensionsMap: { DeliveryStreamName: deliveryStreamRef.deliveryStreamName },
    ...options,
  });
}
