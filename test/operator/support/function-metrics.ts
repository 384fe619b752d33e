import type { RunFacts } from '../../../lambda/metrics.ts';
import { createTelemetry } from '../../../lambda/telemetry.ts';
import { parseEmf } from '../../../local/alarms/emf.ts';
import { captureOutput } from '../../../local/incidents/written.ts';
import type { LocalDeployment } from '../../aws/deployment/deployment.ts';
import type { MetricDatum } from '../../aws/services/cloudwatch.ts';

/** Puts the metrics of a run where CloudWatch would have put them. @param time milliseconds since 1970 */
export function putMetrics({ metrics }: LocalDeployment, connector: string, facts: RunFacts, time: number): void {
  metrics.put(...metricsOf(connector, facts, time));
}

/** What CloudWatch reads from the log of a run. @param time milliseconds since 1970 */
export function metricsOf(connector: string, facts: RunFacts, time: number): MetricDatum[] {
  const telemetry = createTelemetry(connector);
  return parseEmf(captureOutput(() => telemetry.report(facts))).flatMap(({ namespace, dimensions, values }) =>
    Object.entries(values).map(([name, value]) => ({ namespace, name, dimensions, value, time })),
  );
}
