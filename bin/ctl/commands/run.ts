import { Argument, Command, Option } from 'commander';
import { type StreamName, streamOf } from '../../../lambda/streams.ts';
import { helpText, pastTimeParser, type RunAction, STREAM_NAMES, waitOption } from '../command.ts';
import { requireConfirmation } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import { sendCommand } from '../function-command.ts';

interface RunOptions {
  readonly stream?: readonly StreamName[];
  readonly wait: number;
}

export function runCommand(run: RunAction): Command {
  return new Command('run')
    .description('run the function now instead of at the next scheduled time')
    .addOption(new Option('--stream <name...>', 'run only these streams').choices(STREAM_NAMES))
    .addOption(waitOption())
    .addHelpText('after', helpText(RUN_NOTE, 'run', 'run --connector acme --stream assets threats'))
    .action(
      run((context, { stream, ...options }: RunOptions) =>
        sendCommand(context, stream ? { streams: stream } : {}, options),
      ),
    );
}

const RUN_NOTE = `A run ends after at most 15 minutes, and the next scheduled run continues. Ctrl-C ends the command. A run that has started
continues in AWS. In JSON, "runSeconds" is the time from the call to the answer.`;

const RESYNC_NOTE = `Use it after a change of dnsBlocksPath or threatAssetField. DNS blocks have no row states, so all but the newest are sent again.
--send-all: for a SIEM that lost its data. It does not send earlier removals: read docs/runbook.md#a-siem-that-lost-data first.
--since: for a SIEM that lost the events sent after a time, but has all earlier events. It sends removals of that time again, too.
The run reads the other streams as well.`;

interface ResyncOptions {
  readonly sendAll?: true;
  /** Time in ISO 8601. Only rows whose last event was sent after it are sent again. */
  readonly since?: string;
  readonly wait: number;
  readonly yes?: true;
}

/**
 * Shows the consequence, asks for confirmation and sends the command. @throws the errors of
 * `sendCommand`; RefusedError if the operator does not confirm
 */
export function resyncCommand(run: RunAction): Command {
  return new Command('resync')
    .description('read streams from the beginning, and send rows that differ, or all rows')
    .addArgument(new Argument('<stream...>', 'which streams').choices(STREAM_NAMES))
    .option('--send-all', 'send every row again once, also rows that do not differ')
    .addOption(
      new Option('--since <time>', 'with --send-all: only rows whose last event was sent after this time').argParser(
        pastTimeParser(Date.now),
      ),
    )
    .option('--yes', 'do not ask')
    .addOption(waitOption())
    .addHelpText(
      'after',
      helpText(
        RESYNC_NOTE,
        'resync assets threats',
        'resync dns-blocks --send-all --connector acme --yes',
        'resync assets threats dns-blocks --send-all --since 2026-11-24T08:00:00Z',
      ),
    )
    .action(
      run(async (context, streams: readonly StreamName[], { sendAll, since, ...options }: ResyncOptions) => {
        if (since !== undefined && !sendAll)
          throw new UsageError('--since needs --send-all: a resync sends only rows that differ.');
        await context.deployment();
        await requireConfirmation(
          context,
          sendAll ? sendAllConsequence(streams, since) : resyncConsequence(streams),
          options,
        );
        return await sendCommand(context, sendAll ? { replay: streams, since } : { resync: streams }, options);
      }),
    );
}

function resyncConsequence(streams: readonly StreamName[]): string {
  const stateless = streams.filter(name => !streamOf(name).hasRowStates);
  const again = stateless.map(name => ` All rows of ${name} but the newest are sent again.`).join('');
  return `A resync reads ${streams.join(', ')} from the beginning and sends only rows that differ.${again}`;
}

function sendAllConsequence(streams: readonly StreamName[], since: string | undefined): string {
  if (since !== undefined)
    return (
      `A resync with --send-all reads ${streams.join(', ')} from the beginning, and repeats the last event of each row ` +
      `if that event was sent after ${since}, withdrawals included. The SIEM must have all earlier events.`
    );
  return (
    `A resync with --send-all reads ${streams.join(', ')} from the beginning and sends every row to the SIEM again, ` +
    'with the cost of a first run for Firehose, the SIEM and the API.'
  );
}
