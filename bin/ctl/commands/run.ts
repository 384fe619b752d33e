import { Argument, Command, Option } from 'commander';
import { type StreamName, streamOf } from '../../../lambda/streams.ts';
import { CONNECTORCTL } from '../../../lib/installation.ts';
import { help, type Run, STREAM_NAMES } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { sendCommand } from '../function-command.ts';

interface RunOptions {
  readonly stream?: readonly StreamName[];
}

export function runCommand(run: Run): Command {
  return new Command('run')
    .description('run the function now instead of at the next scheduled time')
    .addOption(new Option('--stream <name...>', 'run only these streams').choices(STREAM_NAMES))
    .addHelpText('after', help(RUN_NOTE, 'run', 'run --stack acme --stream assets threats'))
    .action(run((context, { stream }: RunOptions) => sendCommand(context, stream ? { streams: stream } : {})));
}

const RUN_NOTE = `A run ends after at most 15 minutes, and the next scheduled run continues. Ctrl-C ends the command. A run that has started
continues in AWS. In JSON, "runSeconds" is how long it took, from the call to the answer.
Exit status 2: another run holds the lease, and nothing was done.`;

const OTHERS_NOTE = `The run reads the other streams as well, and the next runs continue what it does not finish.
Exit status 2: another run holds the lease, and nothing was done.`;

const RESYNC_NOTE = `Use it after a change of dnsBlocksPath or threatAssetField. DNS blocks have no row states, so all but the newest are sent again.
${OTHERS_NOTE}`;

const REPLAY_NOTE = `A replay does not contain earlier removals: read docs/runbook.md#a-siem-that-lost-data first.
${OTHERS_NOTE}`;

const CONFIRM_NOTE = `Until then a run with these credentials sends nothing and fails with OrganizationChangedError:
docs/runbook.md#another-organization.`;

export function resyncCommand(run: Run): Command {
  return rewindCommand(run, 'resync', streams => {
    const stateless = streams.filter(name => !streamOf(name).hasRowStates);
    const again = stateless.map(name => ` All rows of ${name} but the newest are sent again.`).join('');
    return `A resync reads ${streams.join(', ')} from the beginning and sends only what differs.${again}`;
  })
    .description('drop the cursor: read everything again, send only what differs')
    .addHelpText('after', help(RESYNC_NOTE, 'resync assets threats', 'resync dns-blocks --stack acme --yes'));
}

export function replayCommand(run: Run): Command {
  return rewindCommand(
    run,
    'replay',
    streams =>
      `A replay reads ${streams.join(', ')} from the beginning and sends every row to the SIEM again, ` +
      'with the cost of a first run for Firehose, the SIEM and the API.',
  )
    .description('send everything again once, for a SIEM that lost its data')
    .addHelpText('after', help(REPLAY_NOTE, 'replay assets threats', 'replay dns-blocks --stack acme --yes'));
}

export function confirmOrganizationCommand(run: Run): Command {
  return new Command('confirm-organization')
    .description('send the rows of another organization from now on, after its credentials were set')
    .option('--yes', 'do not ask')
    .addHelpText('after', help(CONFIRM_NOTE, 'confirm-organization', 'confirm-organization --stack acme --yes'))
    .action(
      run(async (context, options: { readonly yes?: true }) => {
        const { connector } = await context.deployment();
        await confirmed(context, consequenceOf(connector), options);
        return sendCommand(context, { confirmOrganization: true });
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

/** Shows the consequence, asks for confirmation and sends the command. @throws as `sendCommand` does; RefusedError if not confirmed */
function rewindCommand(
  run: Run,
  name: 'resync' | 'replay',
  consequence: (streams: readonly StreamName[]) => string,
): Command {
  return new Command(name)
    .addArgument(new Argument('<stream...>', 'which streams').choices(STREAM_NAMES))
    .option('--yes', 'do not ask')
    .action(
      run(async (context, streams: readonly StreamName[], options: { readonly yes?: true }) => {
        await context.deployment();
        await confirmed(context, consequence(streams), options);
        return sendCommand(context, { [name]: streams });
      }),
    );
}
