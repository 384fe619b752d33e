import type { RunFacts } from '../../../lambda/metrics.ts';
import { createTelemetry } from '../../../lambda/telemetry.ts';
import { emfOf } from '../../../local/alarms/emf.ts';
import type { MetricDatum } from '../../../local/aws/cloudwatch.ts';
import type { LocalDeployment } from '../../../local/deployment/deployment.ts';
import { written } from '../../../local/incidents/written.ts';

/** Puts the metrics of a run where CloudWatch would have put them. @param time milliseconds since 1970 */
export function putMetrics({ metrics }: LocalDeployment, connector: string, facts: RunFacts, time: number): void {
  metrics.put(...metricsOf(connector, facts, time));
}

/** What CloudWatch reads from the log of a run. @param time milliseconds since 1970 */
export function metricsOf(connector: string, facts: RunFacts, time: number): MetricDatum[] {
  const telemetry = createTelemetry(connector);
  return emfOf(written(() => telemetry.report(facts))).flatMap(({ namespace, dimensions, values }) =>
    Object.entries(values).map(([name, value]) => ({ namespace, name, dimensions, value, time })),
  );
}
