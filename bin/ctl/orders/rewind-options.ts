import type { Command } from 'commander';
import { streamsArgument, waitOption } from './order-options.ts';

/** What every order takes that reads streams again from the beginning. */
export function withRewindOptions(command: Command): Command {
  return command
    .addArgument(streamsArgument())
    .option('--yes', 'do not ask')
    .option('--no-count', 'do not count the rows concerned, which reads the whole table')
    .option('--until-done', 'run after run, until the streams are drained')
    .addOption(waitOption());
}
