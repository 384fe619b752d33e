import { Command, Option } from 'commander';
import type { StreamName } from '../../../lambda/streams.ts';
import { examples, type Run } from '../command.ts';
import { command } from '../orders/order.ts';
import { STREAM_NAMES, waitOption } from '../orders/order-options.ts';

interface RunOptions {
  readonly stream?: readonly StreamName[];
  readonly wait: number;
  readonly untilDone?: true;
}

export function runCommand(run: Run): Command {
  return new Command('run')
    .alias('drain')
    .description('drain the streams now, instead of at the next tick')
    .addOption(new Option('--stream <name...>', 'these streams only').choices(STREAM_NAMES))
    .option('--until-done', 'run after run, until the streams are drained')
    .addOption(waitOption())
    .addHelpText('after', examples('run', 'run --stack acme --stream assets threats'))
    .action(
      run((context, { stream, ...options }: RunOptions) =>
        command(context, stream ? { streams: stream } : {}, options),
      ),
    );
}
