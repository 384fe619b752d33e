import { Command, InvalidArgumentError, Option } from 'commander';
import { STREAMS, STREAMS_WITHOUT_PATH, streamKey } from '../../lambda/streams.ts';
import { argumentsOrExit, optionOf, wholeNumber } from '../npm-command.ts';
import { defaultCounts, type SeedCounts } from './seed.ts';
import { DEFAULT_SETTINGS, type SimulatorSettings, settingProblems } from './settings.ts';

/** The API simulator's settings and how to run it. */
export interface CommandLine extends SeedCounts {
  readonly settings: Partial<SimulatorSettings>;
  readonly port: number;
  /** Absent = no control API. 0 = any free port. */
  readonly controlPort?: number;
  readonly seed: number;
  /** Changes a second. */
  readonly traffic: number;
}

/** Reads the command line. `--help` ends the process with status 0, invalid options with 2. */
export function readCommandLine(): CommandLine {
  const { flags } = argumentsOrExit<Flags>(describe, given =>
    settingProblems({ ...DEFAULT_SETTINGS, ...given.flags }).map(inTermsOfOptions),
  );
  const { control, controlPort, role, life, ...rest } = flags;
  const settings = { ...rest, roles: { ...DEFAULT_SETTINGS.roles, ...role } };
  const port = controlPort ?? (control ? 0 : undefined);
  return { ...rest, settings, traffic: life, ...(port === undefined ? {} : { controlPort: port }) };
}

/** Options as they were typed. */
type Flags = Omit<SimulatorSettings, 'roles'> &
  Omit<CommandLine, 'settings' | 'traffic'> & {
    readonly control: boolean;
    readonly life: number;
    readonly role?: Readonly<Record<string, string>>;
  };

/** `rowsMember and paginationMember must differ` → `--rows-member and --pagination-member must differ` */
function inTermsOfOptions(problem: string): string {
  return problem.replace(/\b[a-z]+[A-Z]\w*/g, optionOf);
}

function describe(): Command {
  return describeLimits(describeSilences(describeCounts(describeRun())));
}

function describeCounts(command: Command): Command {
  const counts = defaultCounts('simulator');
  for (const { name, singular } of STREAMS)
    command.option(
      `--${name} <n>`,
      `generated ${singular}s`,
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
      counts[streamKey(name)],
    );
  return command.option('--life <rate>', 'random changes a second', number(0), 0);
}

function describeRun(): Command {
  return new Command('npm run api-simulator --')
    .description(
      'Serves the whole Security Data External API on this machine. The first line on stdout is a JSON object with its addresses and credentials.',
    )
    .option(
      '--port <n>',
      'port of the API and the token endpoint, on 127.0.0.1; 0 = any free one',
      wholeNumber(0, 65_535),
      0,
    )
    .option('--control', 'open the control API on any free port', false)
    .option('--control-port <n>', 'open the control API on this port', wholeNumber(0, 65_535))
    .option(
      '--seed <n>',
      'the same seed gives the same rows, credentials and changes',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
      1,
    );
}

function describeSilences(command: Command): Command {
  const { rowsMember, paginationMember, threatAssetMember } = DEFAULT_SETTINGS;
  for (const { pathOption, singular } of STREAMS_WITHOUT_PATH)
    command.option(`${optionOf(pathOption)} <path>`, `path of the ${singular} list`, DEFAULT_SETTINGS[pathOption]);
  return command
    .option('--rows-member <name>', 'member that holds the rows of a list', rowsMember)
    .option('--pagination-member <name>', 'member that holds the pagination object', paginationMember)
    .option('--threat-asset-member <name>', 'member of a threat that names its asset', threatAssetMember)
    .addOption(choice('--retention <kind>', 'what a stream keeps of an id', ['latest', 'every-version']))
    .addOption(
      choice('--restored-threats <where>', 'where threats of a restored asset reappear', [
        'new-positions',
        'old-positions',
      ]),
    )
    .addOption(
      choice('--end-of-stream <kind>', 'how a walk ends', ['full-page-null', 'empty-page-null', 'repeat-cursor']),
    )
    .option('--withhold-ms <ms>', 'how long changes are withheld from the lists', number(0), 0)
    .option('--tie-size <n>', 'mean number of rows that share a stream position', number(1), 1)
    .option('--short-pages <p>', 'probability of a page shorter than it could be', number(0, 1), 0)
    .option('--empty-pages <p>', 'probability of an empty page with a cursor', number(0, 0.99), 0)
    .option('--shuffle-members', 'every answer has its members in a different order', false)
    .option('--pretty-print', 'answers are indented', false);
}

function describeLimits(command: Command): Command {
  const { realm, clientId, roles } = DEFAULT_SETTINGS;
  return command
    .option('--realm <name>', 'realm in the token path', realm)
    .option('--client-id <id>', 'client id of the service account', clientId)
    .option('--client-secret <secret>', 'client secret of this local API simulator (default: drawn from the seed)')
    .option(
      '--role <area=role>',
      `role that an area (${Object.keys(roles).join(', ')}) requires; repeatable`,
      collectRole,
    )
    .addOption(choice('--tokens <kind>', 'signed JSON Web Tokens, or opaque ones from a table', ['signed', 'table']))
    .option('--trusted-issuer <url>', "URL of another server's realm, whose tokens are accepted too")
    .option('--latency-ms <ms>', 'milliseconds before each answer', number(0), 0);
}

function choice(flags: string, description: string, choices: readonly [string, ...string[]]): Option {
  return new Option(flags, description).choices(choices).default(choices[0]);
}

function collectRole(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [area = '', role = ''] = text.split('=');
  if (!(area in DEFAULT_SETTINGS.roles) || role === '') throw new InvalidArgumentError('Write it as area=role.');
  return { ...before, [area]: role };
}

function number(min: number, max = Number.POSITIVE_INFINITY): (text: string) => number {
  return text => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
  };
}
