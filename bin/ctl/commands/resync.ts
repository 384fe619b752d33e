import { Command } from 'commander';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import { examples, type Run } from '../command.ts';
import { type RewindOptions, rewind } from '../orders/rewind.ts';
import { withRewindOptions } from '../orders/rewind-options.ts';

export function resyncCommand(run: Run): Command {
  return withRewindOptions(new Command('resync'))
    .description('drop the cursor: read everything again, send only what differs')
    .addHelpText('after', examples('resync assets threats', 'resync dns-blocks --stack acme --yes'))
    .action(
      run((context, streams: readonly StreamName[], options: RewindOptions) => {
        const forgotten = STREAMS.filter(({ name, hasRowStates }) => !hasRowStates && streams.includes(name));
        const again = forgotten.map(({ name }) => ` Of ${name}, all but the newest are sent again.`).join('');
        const consequence = `A resync reads ${streams.join(', ')} from the beginning and sends only what differs.${again}`;
        return rewind(context, { streams, command: { resync: streams }, consequence }, options);
      }),
    );
}
