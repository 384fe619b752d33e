import { Command } from 'commander';
import type { StreamName } from '../../../lambda/streams.ts';
import { examples, type Run } from '../command.ts';
import { type RewindOptions, rewind } from '../orders/rewind.ts';
import { withRewindOptions } from '../orders/rewind-options.ts';

export function replayCommand(run: Run): Command {
  return withRewindOptions(new Command('replay'))
    .description('send everything again once, for a SIEM that lost its data')
    .addHelpText('after', examples('replay assets threats', 'replay dns-blocks --stack acme --yes --until-done'))
    .action(
      run((context, streams: readonly StreamName[], options: RewindOptions) => {
        const consequence =
          `A replay reads ${streams.join(', ')} from the beginning and sends every row to the SIEM again, ` +
          'which Firehose, the SIEM and the API meter like a first run.';
        return rewind(context, { streams, command: { replay: streams }, consequence }, options);
      }),
    );
}
