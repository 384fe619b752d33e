/** What the function writes into its log. */

import type { RunFacts } from '../../../lambda/metrics.ts';
import { createTelemetry } from '../../../lambda/telemetry.ts';
import { errorLog } from '../../../local/incidents/function-log.ts';
import { linesOf } from '../../../local/incidents/written.ts';

/** The lines of errors among calls of the log. @param logged arguments of each call */
export function logLines(connector: string, logged: readonly (readonly unknown[])[]): string[] {
  const lines: string[] = [];
  const log = errorLog(connector, line => lines.push(line));
  for (const [message, error, fields] of logged) {
    if (error instanceof Error) log.error(String(message), error, fields as Readonly<Record<string, string>>);
  }
  return lines;
}

export function metricLines(connector: string, facts: RunFacts): string[] {
  const telemetry = createTelemetry(connector);
  return linesOf(() => telemetry.report(facts));
}
