import { Command } from 'commander';
import type { StreamName } from '../../../lambda/streams.ts';
import { examples, type Run } from '../command.ts';
import { confirm } from '../orders/confirm.ts';
import { order } from '../orders/order.ts';
import { streamsArgument, waitOption } from '../orders/order-options.ts';

interface ReplayOptions {
  readonly wait: number;
  readonly yes?: true;
}

export function replayCommand(run: Run): Command {
  return new Command('replay')
    .description('send everything again once, for a SIEM that lost its data')
    .addArgument(streamsArgument())
    .option('--yes', 'do not ask')
    .addOption(waitOption())
    .addHelpText('after', examples('replay assets threats', 'replay dns-blocks --stack acme --yes'))
    .action(
      run(async (context, streams: readonly StreamName[], { wait, yes }: ReplayOptions) => {
        const cost =
          `A replay reads ${streams.join(', ')} from the beginning and sends every row to the SIEM again, ` +
          'which Firehose, the SIEM and the API meter like a first run.';
        if (!yes) await confirm(cost, context.signal);
        return order(context, { replay: streams }, wait);
      }),
    );
}
