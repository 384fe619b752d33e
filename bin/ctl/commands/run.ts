import { Argument, Command, Option } from 'commander';
import { type StreamName, streamOf } from '../../../lambda/streams.ts';
import { help, type Run, STREAM_NAMES, waitOption } from '../command.ts';
import { confirmed } from '../confirm.ts';
import type { Context } from '../context.ts';
import { sendCommand } from '../function-command.ts';
import { scanRowStates } from '../state.ts';

interface RunOptions {
  readonly stream?: readonly StreamName[];
  readonly wait: number;
  readonly untilDone?: true;
}

export function runCommand(run: Run): Command {
  return new Command('run')
    .alias('drain')
    .description('run the function now instead of at the next scheduled time')
    .addOption(new Option('--stream <name...>', 'run only these streams').choices(STREAM_NAMES))
    .option('--until-done', 'repeat runs until the streams are caught up')
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

const COUNT_NOTE = 'The count reads the whole table, for a dollar per 65 GB. The run reads the other streams as well.';

const RESYNC_NOTE = `Use it after a change of dnsBlocksPath or threatAssetField. DNS blocks have no row states, so all but the newest are sent again.
--send-all: for a SIEM that lost its data. It does not send earlier removals: read docs/runbook.md#a-siem-that-lost-data first.
${COUNT_NOTE}`;

interface ResyncOptions {
  readonly sendAll?: true;
  readonly wait: number;
  readonly yes?: true;
  /** Count the affected rows. */
  readonly count: boolean;
  readonly untilDone?: true;
}

/** Shows the consequence, asks for confirmation and sends the command. @throws as `sendCommand` does; RefusedError if not confirmed */
export function resyncCommand(run: Run): Command {
  return new Command('resync')
    .description('read streams from the beginning and send what differs, or everything')
    .addArgument(new Argument('<stream...>', 'which streams').choices(STREAM_NAMES))
    .option('--send-all', 'send every row again once, also those that do not differ')
    .option('--yes', 'do not ask')
    .option('--no-count', 'do not count the affected rows, which reads the whole table')
    .option('--until-done', 'repeat runs until the streams are caught up')
    .addOption(waitOption())
    .addHelpText(
      'after',
      help(RESYNC_NOTE, 'resync assets threats', 'resync dns-blocks --send-all --connector acme --yes'),
    )
    .action(
      run(async (context, streams: readonly StreamName[], { sendAll, ...options }: ResyncOptions) => {
        await context.deployment();
        const rows = options.count ? await affectedRows(context, streams) : undefined;
        const affected = rows ? `\n${affectedText(rows)}` : '';
        const consequence = sendAll ? sendAllConsequence(streams) : resyncConsequence(streams);
        await confirmed(context, `${consequence}${affected}`, options);
        const command = sendAll ? { replay: streams } : { resync: streams };
        const { text, json } = await sendCommand(context, command, options);
        const counts = rows && {
          rowsAffected: Object.fromEntries([...rows].map(([stream, count]) => [stream, count ?? null])),
        };
        return { text, json: { ...(json as object), ...counts } };
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

/** Rows that the SIEM has, by stream. Undefined for a stream without row states. */
type AffectedRows = ReadonlyMap<StreamName, number | undefined>;

/** @throws RefusedError, AwsCallError */
async function affectedRows(context: Context, streams: readonly StreamName[]): Promise<AffectedRows> {
  const rows = new Map(streams.map(stream => [stream, streamOf(stream).hasRowStates ? 0 : undefined]));
  if ([...rows.values()].every(count => count === undefined)) return rows;
  const scan = { title: 'Counting the rows reads', liveKeys: true, otherwise: '--no-count skips the count. ' } as const;
  await scanRowStates(context, scan, stream => {
    const before = rows.get(stream);
    if (before !== undefined) rows.set(stream, before + 1);
  });
  return rows;
}

function affectedText(rows: AffectedRows): string {
  const parts = [...rows].map(([stream, count]) =>
    count === undefined
      ? `  ${stream}: unknown number of rows, since they have no row states`
      : `  ${stream}: ${count} rows that the SIEM has`,
  );
  return parts.join('\n');
}
