/** The lines that the function, and Lambda's runtime, write into its log. */

import { createLog } from '../../../lambda/log.ts';
import type { RunMeasurements } from '../../../lambda/metrics.ts';
import { createTelemetry } from '../../../lambda/telemetry.ts';
import { captureOutput } from '../../../local/incidents/written.ts';

/** The lines of errors among calls of the log. @param logged arguments of each call */
export function logLines(connector: string, logged: readonly (readonly unknown[])[]): string[] {
  const log = createLog(connector);
  return linesOf(() => {
    for (const [message, error, fields] of logged) {
      if (error instanceof Error) log.error(String(message), error, fields as Readonly<Record<string, string>>);
    }
  });
}

export function metricLines(connector: string, facts: RunMeasurements): string[] {
  const telemetry = createTelemetry(connector);
  return linesOf(() => telemetry.report(facts));
}

/**
 * As Lambda's Node runtime writes what a handler rejects with.
 *
 * @param time in milliseconds since 1970
 */
export function invokeErrorLine(error: unknown, time: number): string {
  const { name, message } = error as Error;
  const payload = JSON.stringify({ errorType: name, errorMessage: message, stack: [] });
  return `${new Date(time).toISOString()}\t5a1c2d3e-0000-4000-8000-000000000000\tERROR\tInvoke Error \t${payload}\n`;
}

function linesOf(act: () => void): string[] {
  return captureOutput(act).split('\n').filter(Boolean);
}
