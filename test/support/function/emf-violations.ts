import {
  CONNECTOR_METRICS,
  DIMENSIONS,
  METRIC_NAMESPACE,
  METRICS_SENT_WHEN_ZERO,
  STREAM_METRICS,
} from '../../../lambda/metrics.ts';
import type { EmbeddedMetrics } from '../../../local/alarms/emf.ts';

/**
 * The differences between the blobs of one run over these streams and the declarations in
 * metrics.ts.
 */
export function emfViolations(
  blobs: readonly EmbeddedMetrics[],
  connector: string,
  streams: readonly string[],
): string[] {
  const expected = [
    ...streams.map(stream => ({ [DIMENSIONS.connector]: connector, [DIMENSIONS.stream]: stream })),
    { [DIMENSIONS.connector]: connector },
  ];
  return [
    ...(JSON.stringify(blobs.map(each => each.dimensions)) === JSON.stringify(expected) ? [] : ['other dimensions']),
    ...blobs.filter(each => each.namespace !== METRIC_NAMESPACE).map(each => `namespace ${each.namespace}`),
    ...blobs.flatMap(({ dimensions, values }) => {
      const declared = DIMENSIONS.stream in dimensions ? STREAM_METRICS : CONNECTOR_METRICS;
      const wanted = Object.keys(declared).filter(name => METRICS_SENT_WHEN_ZERO.has(name) || values[name]);
      const missing = wanted.filter(name => !Number.isFinite(values[name])).map(name => `${name} is missing`);
      return [
        ...missing,
        ...Object.keys(values)
          .filter(name => !wanted.includes(name))
          .map(name => `${name} is extra`),
      ];
    }),
  ];
}
