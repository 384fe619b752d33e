import { Command, Option } from 'commander';
import { optionsKeptByNpm } from '../terminal/npm-options.ts';

/** Options as they were typed. Texts are checked elsewhere, all of them, so that every fault is told at once. */
export interface Flags {
  readonly name?: string;
  readonly stateFolder?: string;
  readonly pageLimit?: string;
  readonly seed?: string;
  readonly assets?: string;
  readonly threats?: string;
  readonly dnsBlocks?: string;
  readonly change?: string;
  readonly baseUrl?: string;
  readonly authUrl?: string;
  readonly clientId?: string;
  readonly dnsBlocksPath?: string;
  readonly threatAssetField?: string;
  readonly rowsMember?: string;
  readonly paginationMember?: string;
  readonly format?: string;
  readonly ocsfFields?: string;
  readonly reset?: boolean;
  readonly verbose?: boolean;
}

export interface CommandLine {
  readonly flags: Flags;
  /** What is wrong with the shape of the line itself. */
  readonly faults: readonly string[];
}

/**
 * Reads the arguments behind the program's name. `--help` prints and ends the process with 0.
 *
 * @param environment in which npm leaves the options that it kept
 */
export function readCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv = {}): CommandLine {
  const command = describe();
  const last = args.at(-1) ?? '';
  // Commander stops at an option without its value, which only the last one can be: as empty text it is told with the rest.
  const isBare = command.options.some(({ long, required }) => required && long === last);
  command.parse(isBare ? [...args.slice(0, -1), `${last}=`] : args, { from: 'user' });
  const { threatAssetMember: threatAssetField, ...flags } = command.opts<Flags & { threatAssetMember?: string }>();
  return {
    flags: threatAssetField === undefined ? flags : { threatAssetField, ...flags },
    faults: [...keptByNpm(command, environment), ...strays(command.args)],
  };
}

const SECRET_IS_NO_ARGUMENT =
  'the client secret is never an argument, because the process list and the shell history would show it: put it into the environment variable CLIENT_SECRET, or leave it out to be asked';

function keptByNpm(command: Command, environment: NodeJS.ProcessEnv): string[] {
  const kept = optionsKeptByNpm(command, environment);
  if (kept.length === 0) return [];
  return [
    `npm kept ${kept.join(', ')} for itself: type "--" before the options, as in "npm start -- ${kept.join(' ')}"`,
  ];
}

/** Values are not repeated: one of them may be a secret. */
function strays(args: readonly string[]): string[] {
  const options = args.filter(arg => arg.startsWith('-')).map(arg => /^(--[a-z][a-z-]*|-.)?/i.exec(arg)![0] || '-');
  const faults = options.map(option =>
    /secret|password/i.test(option) ? SECRET_IS_NO_ARGUMENT : `${option} is not an option`,
  );
  if (options.length > 0 || args.length === 0) return faults;
  return [`${args.length} ${args.length === 1 ? 'argument stands' : 'arguments stand'} alone, without an option`];
}

function describe(): Command {
  const command = new Command('npm start --')
    .usage('[options]')
    .description(
      'Runs the connector on this machine: the same handler as in Lambda, with DynamoDB, Secrets Manager, Firehose and S3 ' +
        'played by local endpoints. Without options it drains an embedded platform; with --base-url, --auth-url and ' +
        '--client-id a real tenant. Events arrive as .json.gz files, laid out as in S3. A further run goes on where the last one ended.',
    )
    .allowUnknownOption()
    .allowExcessArguments();
  return describeTenant(describeEmbedded(describeRun(command))).addHelpText('after', EXAMPLES);
}

function describeRun(command: Command): Command {
  return command
    .optionsGroup('The run:')
    .helpOption('-h, --help', 'show this text')
    .option('--name <name>', 'connector name, in every event (default: local, or the host of --base-url)')
    .option('--state-folder <path>', 'holds a folder for each name, with its state and its files (default: .local)')
    .option('--reset', 'start anew: deletes state, log and delivered files of this name first')
    .option('--page-limit <n>', 'rows asked for in a page, 1 to 500 (default: 500)')
    .option('--format <format>', 'format of the events: envelope or ocsf (default: envelope)')
    .option(
      '--ocsf-fields <file>',
      'JSON file with a mapping to OCSF, as ocsfFields in the configuration (with --format ocsf)',
    )
    .option('--verbose', 'show stack traces of failures');
}

function describeEmbedded(command: Command): Command {
  return command
    .optionsGroup('The embedded platform (kept for the runs that follow, until --reset):')
    .option('--assets <n>', 'generated assets (default: 1500)')
    .option('--threats <n>', 'generated threats (default: 2500)')
    .option('--dns-blocks <n>', 'generated DNS blocks (default: 4000)')
    .option('--seed <n>', 'the same seed gives the same estate and changes (default: 1)')
    .option(
      '--change <n>',
      'n changes happen before the run: first an asset with threats is removed, then one restored, then others',
    );
}

function describeTenant(command: Command): Command {
  return (
    command
      .optionsGroup('A real tenant:')
      .option('--base-url <url>', 'base URL of the API, https')
      .option('--auth-url <url>', 'realm or token endpoint, https')
      .option('--client-id <id>', 'client id; its secret comes from CLIENT_SECRET or a hidden prompt')
      .option('--dns-blocks-path <path>', 'path of the DNS block list (default: that stream is off)')
      .option('--threat-asset-field <name>', 'member of a threat that names its asset (default: asset_id)')
      // As the platform calls it, and the contract's rules.
      .addOption(new Option('--threat-asset-member <name>').hideHelp())
      .option('--rows-member <name>', 'member that holds the rows of a page (default: found by itself)')
      .option('--pagination-member <name>', 'member that holds next_cursor (default: found by itself)')
  );
}

const EXAMPLES = `
Examples:
  npm start                                  drain the embedded platform; run it again: nothing is sent twice
  npm start -- --change 50                   let the estate change first: a tombstone, withdrawn threats, updates
  npm start -- --reset --threats 100000      a larger estate, from the beginning
  npm start -- --base-url https://api.example.com --auth-url https://login.example.com/realms/acme \\
    --client-id siem-connector --dns-blocks-path /v1/dns-blocks

A real tenant is only read. Its secret stays in memory and is never written to disk. Ctrl-C finishes the page at hand
and saves; a second Ctrl-C stops at once. Nothing is lost either way: the next run goes on.

Exit status: 0 drained, 1 the run failed, 2 options are wrong and nothing was started, 130 interrupted.`;
