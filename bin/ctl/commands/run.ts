import { Command, Option } from 'commander';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import { CONNECTORCTL } from '../../../lib/installation.ts';
import { examples, type Run, STREAM_NAMES, streamsArgument, waitOption } from '../command.ts';
import type { Context } from '../context.ts';
import { confirmed, sendCommand } from '../function-command.ts';
import type { FunctionCommand } from '../invoke.ts';
import type { Outcome } from '../report.ts';
import { countStates, scanText, tableSize } from '../state.ts';

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
    .addHelpText('after', `\n${RUN_NOTE}\n${examples('run', 'run --stack acme --stream assets threats')}`)
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
${COUNT_NOTE}`;

const REPLAY_NOTE = `A replay does not contain earlier removals: read docs/runbook.md#a-siem-that-lost-data first.
${COUNT_NOTE}`;

const CONFIRM_NOTE = `Until then a run with these credentials sends nothing and fails with OrganizationChangedError:
docs/runbook.md#another-organization.`;

export function resyncCommand(run: Run): Command {
  return withRewindOptions(new Command('resync'))
    .description('drop the cursor: read everything again, send only what differs')
    .addHelpText(
      'after',
      `\n${RESYNC_NOTE}\n${examples('resync assets threats', 'resync dns-blocks --stack acme --yes')}`,
    )
    .action(
      run((context, streams: readonly StreamName[], options: RewindOptions) => {
        const stateless = STREAMS.filter(({ name, hasRowStates }) => !hasRowStates && streams.includes(name));
        const again = stateless.map(({ name }) => ` All rows of ${name} but the newest are sent again.`).join('');
        const consequence = `A resync reads ${streams.join(', ')} from the beginning and sends only what differs.${again}`;
        return rewind(context, { streams, command: { resync: streams }, consequence }, options);
      }),
    );
}

export function replayCommand(run: Run): Command {
  return withRewindOptions(new Command('replay'))
    .description('send everything again once, for a SIEM that lost its data')
    .addHelpText(
      'after',
      `\n${REPLAY_NOTE}\n${examples('replay assets threats', 'replay dns-blocks --stack acme --yes --until-done')}`,
    )
    .action(
      run((context, streams: readonly StreamName[], options: RewindOptions) => {
        const consequence =
          `A replay reads ${streams.join(', ')} from the beginning and sends every row to the SIEM again, ` +
          'with the cost of a first run for Firehose, the SIEM and the API.';
        return rewind(context, { streams, command: { replay: streams }, consequence }, options);
      }),
    );
}

export function confirmOrganizationCommand(run: Run): Command {
  return new Command('confirm-organization')
    .description('send the rows of another organization from now on, after its credentials were set')
    .option('--yes', 'do not ask')
    .addOption(waitOption())
    .addHelpText(
      'after',
      `\n${CONFIRM_NOTE}\n${examples('confirm-organization', 'confirm-organization --stack acme --yes')}`,
    )
    .action(
      run(async (context, options: { readonly yes?: true; readonly wait: number }) => {
        const { connector } = await context.deployment();
        await confirmed(context, consequenceOf(connector), options);
        return sendCommand(context, { confirmOrganization: true }, options);
      }),
    );
}

function consequenceOf(connector: string): string {
  return (
    'The state belongs to one organization, and the credentials to another. After this, the SIEM gets the rows of the other ' +
    `organization under the same name, ${connector}.\nThe rows of the old one stay alive in the SIEM until ` +
    `"${CONNECTORCTL.command} verify --repair" removes them.`
  );
}

function withRewindOptions(command: Command): Command {
  return command
    .addArgument(streamsArgument())
    .option('--yes', 'do not ask')
    .option('--no-count', 'do not count the affected rows, which reads the whole table')
    .option('--until-done', 'repeat runs until the streams are caught up')
    .addOption(waitOption());
}

interface RewindOptions {
  readonly wait: number;
  readonly yes?: true;
  /** Count the affected rows. */
  readonly count: boolean;
  readonly untilDone?: true;
}

interface Rewind {
  readonly streams: readonly StreamName[];
  readonly command: FunctionCommand;
  /** The consequence that the user confirms. */
  readonly consequence: string;
}

/** Shows the consequence, asks for confirmation and sends the command. @throws as `sendCommand` does; RefusedError if not confirmed */
async function rewind(context: Context, what: Rewind, options: RewindOptions): Promise<Outcome> {
  await context.deployment();
  const rows = options.count ? await affectedRows(context, what.streams) : undefined;
  const affected = rows ? `\n${affectedText(rows)}` : '';
  await confirmed(context, `${what.consequence}${affected}`, options);
  const { text, json } = await sendCommand(context, what.command, options);
  const counts = rows && { rowsAffected: Object.fromEntries([...rows].map(([name, count]) => [name, count ?? null])) };
  return { text, json: { ...(json as object), ...counts } };
}

/** Undefined for a stream without row states. */
type AffectedRows = ReadonlyMap<StreamName, number | undefined>;

/** @throws RefusedError, AwsCallError */
async function affectedRows(context: Context, streams: readonly StreamName[]): Promise<AffectedRows> {
  const { aws, report } = context;
  const { table } = await context.deployment();
  const counted = streams.filter(hasRowStates);
  const rows = new Map<StreamName, number | undefined>(streams.map(stream => [stream, undefined]));
  if (counted.length === 0) return rows;
  const size = await tableSize(aws, table, '--no-count skips the count. ');
  using progress = report.progress(`Counting the rows reads ${scanText(size)}.`, size.items);
  return new Map([...rows, ...(await countStates(aws, table, counted, progress))]);
}

function hasRowStates(stream: StreamName): boolean {
  return STREAMS.some(each => each.name === stream && each.hasRowStates);
}

function affectedText(rows: AffectedRows): string {
  const parts = [...rows].map(([stream, count]) =>
    count === undefined
      ? `${stream}: unknown number of rows, since they have no row states`
      : `${stream}: ${count} rows that the SIEM has`,
  );
  return parts.map(part => `  ${part}`).join('\n');
}
