import { Argument, Command, Option } from 'commander';
import { type StreamName, streamOf } from '../../../lambda/streams.ts';
import { help, type Run, STREAM_NAMES, waitOption } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { sendCommand } from '../function-command.ts';

interface RunOptions {
  readonly stream?: readonly StreamName[];
  readonly wait: number;
}

export function runCommand(run: Run): Command {
  return new Command('run')
    .description('run the function now instead of at the next scheduled time')
    .addOption(new Option('--stream <name...>', 'run only these streams').choices(STREAM_NAMES))
    .addOption(waitOption())
    .addHelpText('after', help(RUN_NOTE, 'run', 'run --connector acme --stream assets threats'))
    .action(
      run((context, { stream, ...options }: RunOptions) =>
        sendCommand(context, stream ? { streams: stream } : {}, options),
      ),
    );
}

const RUN_NOTE = `A run ends after at most 15 minutes, and the next scheduled run continues. Ctrl-C ends the command. A run that has started
continues in AWS. In JSON, "runSeconds" is how long it took, from the call to the answer.`;

const RESYNC_NOTE = `Use it after a change of dnsBlocksPath or threatAssetField. DNS blocks have no row states, so all but the newest are sent again.
--send-all: for a SIEM that lost its data. It does not send earlier removals: read docs/runbook.md#a-siem-that-lost-data first.
The run reads the other streams as well.`;

interface ResyncOptions {
  readonly sendAll?: true;
  readonly wait: number;
  readonly yes?: true;
}

/** Shows the consequence, asks for confirmation and sends the command. @throws as `sendCommand` does; RefusedError if not confirmed */
export function resyncCommand(run: Run): Command {
  return new Command('resync')
    .description('read streams from the beginning and send what differs, or everything')
    .addArgument(new Argument('<stream...>', 'which streams').choices(STREAM_NAMES))
    .option('--send-all', 'send every row again once, also those that do not differ')
    .option('--yes', 'do not ask')
    .addOption(waitOption())
    .addHelpText(
      'after',
      help(RESYNC_NOTE, 'resync assets threats', 'resync dns-blocks --send-all --connector acme --yes'),
    )
    .action(
      run(async (context, streams: readonly StreamName[], { sendAll, ...options }: ResyncOptions) => {
        await context.deployment();
        await confirmed(context, sendAll ? sendAllConsequence(streams) : resyncConsequence(streams), options);
        return await sendCommand(context, sendAll ? { replay: streams } : { resync: streams }, options);
      }),
    );
}

function resyncConsequence(streams: readonly StreamName[]): string {
  const stateless = streams.filter(name => !streamOf(name).hasRowStates);
  const again = stateless.map(name => ` All rows of ${name} but the newest are sent again.`).join('');
  return `A resync reads ${streams.join(', ')} from the beginning and sends only what differs.${again}`;
}

function sendAllConsequence(streams: readonly StreamName[]): string {
  return (
    `A resync with --send-all reads ${streams.join(', ')} from the beginning and sends every row to the SIEM again, ` +
    'with the cost of a first run for Firehose, the SIEM and the API.'
  );
}
