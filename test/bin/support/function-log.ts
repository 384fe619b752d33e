/** What the function writes into its log, and what Lambda adds. */
import { createLog } from '../../../lambda/log.ts';
import { createTelemetry, type RunFacts } from '../../../lambda/telemetry.ts';
import { written } from '../../../local/incidents/written.ts';

/** The lines of errors among calls of the log. @param logged arguments of each call */
export function logLines(connector: string, logged: readonly (readonly unknown[])[]): string[] {
  const log = createLog(connector);
  return logged
    .filter(([, error]) => error instanceof Error)
    .flatMap(([message, error, fields]) =>
      linesOf(() => log.error(String(message), error as Error, fields as Readonly<Record<string, string>>)),
    );
}

export function metricLines(connector: string, facts: RunFacts): string[] {
  const telemetry = createTelemetry(connector);
  return linesOf(() => telemetry.report(facts));
}

/** As Lambda's Node runtime writes what a handler rejects with. */
export function invokeErrorLine(error: unknown): string {
  const { name, message } = error as Error;
  const payload = JSON.stringify({ errorType: name, errorMessage: message, stack: [] });
  return `2026-11-20T12:00:00.000Z\t5a1c2d3e-0000-4000-8000-000000000000\tERROR\tInvoke Error \t${payload}\n`;
}

function linesOf(act: () => void): string[] {
  return written(act).split('\n').filter(Boolean);
}
