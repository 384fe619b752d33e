/** How a command is put together: see commands/. */
import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { Outcome } from './report/report.ts';

/** What a command does, given what was asked for. It has an outcome unless it told everything on the way. */
export type Action<Arguments extends unknown[]> = (
  context: Context,
  ...given: Arguments
) => Promise<Outcome | undefined>;

/** Turns an action into what Commander calls; it makes the context from the options of all commands, and tells the outcome. */
export type Run = <Arguments extends unknown[]>(
  action: Action<Arguments>,
) => (...given: [...Arguments, Command]) => Promise<void>;

/** Examples beneath the help of a command: a line each, without the program's name. */
export function examples(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map(line => `  npm run connectorctl -- ${line}\n`).join('')}`;
}
