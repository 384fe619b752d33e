/** What the function writes into its log when something fails, and what Lambda adds. */
import { createLog } from '../../lambda/log.ts';
import type { Log } from '../../lambda/ports.ts';
import { linesOf } from './written.ts';

/** Passes on only the error lines, as the function writes them. */
export function errorLog(connector: string, put: (line: string) => void): Log {
  const log = createLog(connector);
  const ignore = (): void => undefined;
  return {
    info: ignore,
    warn: ignore,
    error: (...logged) => {
      for (const line of linesOf(() => log.error(...logged))) put(line);
    },
  };
}

/** As Lambda's Node runtime writes what a handler rejects with. @param time in milliseconds since 1970 */
export function invokeErrorLine(error: unknown, time: number): string {
  const { name, message } = error as Error;
  const payload = JSON.stringify({ errorType: name, errorMessage: message, stack: [] });
  return `${new Date(time).toISOString()}\t5a1c2d3e-0000-4000-8000-000000000000\tERROR\tInvoke Error \t${payload}\n`;
}
