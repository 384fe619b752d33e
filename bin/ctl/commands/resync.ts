import { Command } from 'commander';
import type { StreamName } from '../../../lambda/streams.ts';
import { examples, type Run } from '../command.ts';
import { confirm } from '../orders/confirm.ts';
import { order } from '../orders/order.ts';
import { streamsArgument, waitOption } from '../orders/order-options.ts';

interface ResyncOptions {
  readonly wait: number;
  readonly yes?: true;
}

export function resyncCommand(run: Run): Command {
  return new Command('resync')
    .description('drop the cursor: read everything again, send only what differs')
    .addArgument(streamsArgument())
    .option('--yes', 'do not ask')
    .addOption(waitOption())
    .addHelpText('after', examples('resync assets threats', 'resync dns-blocks --stack acme --yes'))
    .action(
      run(async (context, streams: readonly StreamName[], { wait, yes }: ResyncOptions) => {
        const cost = `A resync reads ${streams.join(', ')} from the beginning and sends only what differs.`;
        if (!yes) await confirm(cost, context.signal);
        return order(context, { resync: streams }, wait);
      }),
    );
}
