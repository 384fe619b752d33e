/**
 * Reports metrics in CloudWatch's embedded metric format, with one log line per stream and one for
 * the connector.
 */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import {
  CONNECTOR_METRICS,
  CONNECTOR_PROPERTIES,
  DIMENSIONS,
  LASTING_FAILURES,
  METRIC_NAMESPACE,
  METRICS_SENT_WHEN_ZERO,
  type RunMeasurements,
  STREAM_METRICS,
  STREAM_PROPERTIES,
} from './metrics.ts';

export interface Telemetry {
  report(facts: RunMeasurements): void;
}

type Values<F> = Readonly<Record<string, (facts: F) => number | boolean | undefined>>;

export function createTelemetry(connector: string): Telemetry {
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: connector });
  /** Lasting failures of this container's runs that no run without a failure has ended yet. */
  const unended = new Set<string>();

  /**
   * Writes one line, unless it would have no metric. A metric that is zero is written as a property
   * instead.
   */
  const emit = (values: readonly [string, number][], properties: readonly [string, number][], sentAsZero: string[]) => {
    const isSent = ([name, value]: [string, number]) =>
      value !== 0 || METRICS_SENT_WHEN_ZERO.has(name) || sentAsZero.includes(name);
    if (!values.some(isSent)) return;

    for (const [name, value] of values.filter(isSent)) metrics.addMetric(name, MetricUnit.Count, value);
    for (const [name, value] of [...values.filter(value => !isSent(value)), ...properties])
      metrics.addMetadata(name, String(value));
    metrics.publishStoredMetrics();
  };

  return {
    report(facts) {
      const { results, failures, leaseHeld } = facts.outcome;
      for (const [stream, result] of results) {
        const streamFacts = { result, failure: failures.get(stream) };
        metrics.addDimension(DIMENSIONS.stream, stream);
        emit(valuesOf(STREAM_METRICS, streamFacts), valuesOf(STREAM_PROPERTIES, streamFacts), []);
      }

      const values = valuesOf(CONNECTOR_METRICS, facts);
      const isGood = facts.complete && !leaseHeld && failures.size === 0;
      emit(values, valuesOf(CONNECTOR_PROPERTIES, facts), isGood ? [...unended] : []);

      if (isGood) unended.clear();
      for (const [name, value] of values) if (value > 0 && LASTING_FAILURES.has(name)) unended.add(name);
    },
  };
}

function valuesOf<F>(table: Values<F>, facts: F): [string, number][] {
  const values = Object.entries(table).map(([name, value]) => [name, value(facts)] as const);
  return values.flatMap(([name, value]): [string, number][] => (value === undefined ? [] : [[name, Number(value)]]));
}
