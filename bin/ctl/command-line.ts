import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { STREAMS, type StreamName } from '../../lambda/streams.ts';

export interface OrderOptions {
  readonly function: string;
  readonly wait: number;
}

/** What each command does; the command line knows only how it is asked for. */
export interface Actions {
  status(options: { readonly function?: string; readonly table?: string }): Promise<void>;
  drain(options: OrderOptions & { readonly stream?: readonly StreamName[] }): Promise<void>;
  resync(streams: readonly StreamName[], options: OrderOptions): Promise<void>;
  replay(streams: readonly StreamName[], options: OrderOptions & { readonly yes?: true }): Promise<void>;
  fillSecret(options: { readonly function?: string; readonly secret?: string }): Promise<void>;
}

const NAMES = STREAMS.map(stream => stream.name);

export function commandLine(actions: Actions): Command {
  const program = new Command('connectorctl')
    .description(
      'Looks at a deployed connector and gives it orders. Region, profile and credentials are those of the AWS SDK.',
    )
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2))
    .showHelpAfterError('"--help" explains.')
    .addHelpText('after', EXAMPLES);
  program
    .command('status')
    .description('show where each stream stands, and who holds the lease; changes nothing')
    .addOption(functionOption())
    .option('--table <name>', 'its state table, instead of looking it up in the settings of the function')
    .action(actions.status);
  orderCommand(program, 'drain', 'run now, instead of at the next tick')
    .addOption(new Option('--stream <name...>', 'these streams only').choices(NAMES))
    .action(actions.drain);
  orderCommand(program, 'resync', 'drop the cursor: read everything again, send only what differs')
    .addArgument(streamsArgument())
    .action(actions.resync);
  orderCommand(program, 'replay', 'send everything again once, for a SIEM that lost its data')
    .addArgument(streamsArgument())
    .option('--yes', 'do not ask')
    .action(actions.replay);
  program
    .command('fill-secret')
    .description(
      'put the client credentials in place: CLIENT_ID and CLIENT_SECRET, or a hidden prompt; never an argument',
    )
    .addOption(functionOption())
    .option('--secret <id>', 'name or ARN of the secret, instead of looking it up in the settings of the function')
    .action(actions.fillSecret);
  return program;
}

function orderCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .addOption(functionOption().makeOptionMandatory())
    .option('--wait <seconds>', 'how long to wait for another run to end', seconds, 90);
}

function functionOption(): Option {
  return new Option('--function <name>', 'the deployed function (output FunctionName of the stack)');
}

function streamsArgument(): Argument {
  return new Argument('<stream...>', 'which streams').choices(NAMES);
}

function seconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of seconds.');
}

const EXAMPLES = `
Examples:
  connectorctl status --function acme-poller
  connectorctl drain --function acme-poller
  connectorctl drain --function acme-poller --stream assets threats
  connectorctl resync assets threats --function acme-poller
  connectorctl replay dns-blocks --function acme-poller --yes
  CLIENT_ID=… CLIENT_SECRET=… connectorctl fill-secret --function acme-poller
  connectorctl fill-secret --secret acme/credentials          asks, and shows nothing

An order waits for its run to end, up to Lambda's 15 minutes. While another run holds the lease it is tried again for
--wait seconds. Nothing that is printed holds a cursor, a row or a secret.

Exit status: 0 done, 1 it failed, 2 refused or misspelt, and nothing was done.`;
