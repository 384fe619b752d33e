/** Types and helpers that the files in commands/ share. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import { CONNECTORCTL } from '../../lib/installation.ts';
import type { Context } from './context.ts';
import type { CommandOutcome } from './report.ts';

/** The function that carries out a command. */
export type CommandAction<Arguments extends unknown[]> = (
  context: Context,
  ...given: Arguments
) => Promise<CommandOutcome>;

/** Turns an action into a Commander handler, which creates the context and prints the outcome. */
export type RunAction = <Arguments extends unknown[]>(
  action: CommandAction<Arguments>,
) => (...given: [...Arguments, Command]) => Promise<void>;

/**
 * Returns the examples for the help text of a command.
 *
 * @param lines command lines without the program's name
 */
export function examplesText(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map(line => `  ${CONNECTORCTL.command} ${line}\n`).join('')}`;
}

/** The help text of a command after its options: its meaning and examples. */
export function helpText(meaning: string, ...lines: readonly string[]): string {
  return `\n${meaning}\n${examplesText(...lines)}`;
}

export const STREAM_NAMES: readonly StreamName[] = STREAMS.map(stream => stream.name);

export function waitOption(): Option {
  return new Option('--wait <seconds>', 'how long to wait while another run holds the lease')
    .argParser(wholeNumberParser({ unit: ' of seconds' }))
    .default(90);
}

/**
 * Creates a parser for an option of Commander.
 *
 * @param now current time in milliseconds since 1970
 */
export function pastTimeParser(now: () => number): (text: string) => string {
  return text => {
    const time = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
    if (time <= now()) return new Date(time).toISOString();
    throw new InvalidArgumentError('It must be a past time with its zone, for example 2026-11-24T08:00:00Z.');
  };
}

/**
 * Creates a parser for an option of Commander. @param unit text after `a whole number` in the
 * message about a wrong value, for example ` of seconds`
 */
export function wholeNumberParser({ min = 0, unit = '' } = {}): (text: string) => number {
  return text => {
    if (/^\d{1,12}$/.test(text) && Number(text) >= min) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number${unit}${min > 0 ? `, ${min} or more` : ''}.`);
  };
}
