import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { StreamName } from '../../../lambda/streams.ts';
import { examples, type Run } from '../command.ts';
import { STREAM_NAMES } from '../orders/order-options.ts';
import { type VerifyOptions, verify } from '../verify/verify.ts';
import { verifyOutcome } from '../verify/verify-result.ts';

const WAIT_SECONDS = 180;
const NAMED_IDS = 20;

export function verifyCommand(run: Run): Command {
  return new Command('verify')
    .description('walk the API from the beginning and compare with what the SIEM was sent; sends and changes nothing')
    .addArgument(
      new Argument('[stream...]', 'which streams; DNS blocks are counted alone')
        .choices(STREAM_NAMES)
        .default([], 'assets and threats'),
    )
    .addOption(
      new Option('--wait <seconds>', 'how long to wait for the next run, after which what differs is looked at again')
        .argParser(whole)
        .default(WAIT_SECONDS),
    )
    .addOption(new Option('--limit <n>', 'ids that are named of each kind').argParser(whole).default(NAMED_IDS))
    .addHelpText('after', `\n${MEANING}\n${examples('verify', 'verify threats --wait 0 --json')}`)
    .action(
      run(async (context, streams: readonly StreamName[], options: VerifyOptions & { readonly limit: number }) =>
        verifyOutcome(await verify(context, streams, options), options.limit),
      ),
    );
}

const MEANING = `Exit status 3: something differs after the next run, or no run ended in time to tell, or none will because the schedule
is off, or ids are in doubt, or rows lie as dead letters. While the schedule is off nothing is waited for.
It compares with what the connector noted as acknowledged by Firehose; it does not ask the SIEM.`;

function whole(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
