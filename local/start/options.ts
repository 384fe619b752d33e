import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { environmentVariableOf } from '../../lambda/options.ts';
import { readSettings, SettingsError } from '../../lambda/settings.ts';
import { STREAMS, STREAMS_WITHOUT_PATH, type StreamKey, streamKey } from '../../lambda/streams.ts';
import { DEFAULT_SEED_COUNTS, SEED_COUNT_NAMES, type SeedCounts } from '../api-simulator/seed.ts';
import { LOCAL_NAMES, resourceEnvironment } from '../aws/local-aws.ts';
import { optionName, problemsText, readArguments, wholeNumberParser } from '../npm-command.ts';

/** The function's settings by the name of the option. */
const SETTINGS = {
  baseUrl: 'API_BASE_URL',
  authUrl: 'AUTH_URL',
  name: 'CONNECTOR_NAME',
  dnsBlocksPath: 'DNS_BLOCKS_PATH',
  threatAssetField: 'THREAT_ASSET_FIELD',
  pageLimit: 'PAGE_LIMIT',
  rowsMember: 'ROWS_MEMBER',
  paginationMember: 'PAGINATION_MEMBER',
  filter: 'FILTERS',
  omit: 'OMIT',
} as const;

/**
 * Options of the embedded API simulator. Without an option, the value in the state folder counts,
 * or else the default.
 */
type EmbeddedFlags = SeedCounts & { readonly seed?: number; readonly change?: number };

type ByStream<T> = Readonly<Record<string, T>>;

/** Options as they were typed. */
export type StartFlags = EmbeddedFlags & {
  readonly [flag in Exclude<keyof typeof SETTINGS, 'filter' | 'omit'>]?: string;
} & {
  readonly filter?: ByStream<string>;
  readonly omit?: ByStream<readonly string[]>;
  readonly clientId?: string;
  readonly clientSecret?: string | true;
  readonly stateFolder: string;
  readonly reset: boolean;
  readonly verbose: boolean;
};

const NAME = 'npm start --';

function describe(): Command {
  const command = new Command(NAME)
    .usage('[options]')
    .description(
      'Runs the connector on this machine: the same function as in Lambda, with files in place of DynamoDB, Firehose and S3. ' +
        'Without options it drains an embedded API simulator; with --base-url, --auth-url and ' +
        '--client-id a real tenant. Events arrive as .json.gz files, laid out as in S3. Each run continues where the last one ended.',
    );
  return describeTenant(describeEmbedded(describeRun(command))).addHelpText('after', EXAMPLES);
}

function describeRun(command: Command): Command {
  const keys = STREAMS.map(({ name }) => streamKey(name)).join(', ');
  return command
    .optionsGroup('The run:')
    .helpOption('-h, --help', 'show this text')
    .option('--name <name>', 'connector name, in every event (default: local, or the host of --base-url)')
    .option('--state-folder <path>', 'holds a folder for each name, with its state and its files', '.local')
    .option('--reset', 'start again: deletes state, log and delivered files of this name first', false)
    .option('--page-limit <n>', 'rows asked for in a page, 1 to 500 (default: 500)')
    .option(
      '--filter <stream=expression>',
      `send only rows for which the expression of JMESPath is not false (repeatable; streams: ${keys})`,
      collectFilter,
    )
    .option(
      '--omit <stream=path>',
      `leave this member out of the rows; several joined by commas (repeatable; streams: ${keys})`,
      collectOmit,
    )
    .option('--verbose', 'show stack traces of failures', false);
}

function collectFilter(text: string, before: ByStream<string> = {}): ByStream<string> {
  const [key, expression] = readOfStream(text);
  if (before[key] !== undefined) throw new InvalidArgumentError('Join the expressions of a stream with &&.');
  return { ...before, [key]: expression };
}

function collectOmit(text: string, before: ByStream<readonly string[]> = {}): ByStream<readonly string[]> {
  const [key, paths] = readOfStream(text);
  return { ...before, [key]: [...(before[key] ?? []), ...paths.split(',')] };
}

/**
 * Splits the value of an option into the name of a stream and the rest: `threats=severity != 'low'`
 * → `threats` and `severity != 'low'`
 */
function readOfStream(text: string): [key: StreamKey, value: string] {
  const keys = STREAMS.map(({ name }) => streamKey(name));
  const key = keys.find(each => text.startsWith(`${each}=`));
  if (key !== undefined && text.length > key.length + 1) return [key, text.slice(key.length + 1)];
  throw new InvalidArgumentError(`It must begin with ${keys.map(each => `${each}=`).join(', ')}.`);
}

function describeEmbedded(command: Command): Command {
  command.optionsGroup('The embedded API simulator (kept for later runs, until --reset):');
  const counts = DEFAULT_SEED_COUNTS.start;
  for (const { name, singular } of STREAMS) {
    const text = `generated ${singular}s (default: ${counts[streamKey(name)]})`;
    command.option(`--${name} <n>`, text, wholeNumberParser(0, 1_000_000));
  }
  return command
    .option(
      '--seed <n>',
      'the same seed gives the same rows and changes (default: 1)',
      wholeNumberParser(0, 2 ** 31 - 1),
    )
    .option(
      '--change <n>',
      'make n changes before the run: remove an asset with threats, restore one, then others',
      wholeNumberParser(0, 100_000),
    );
}

function describeTenant(command: Command): Command {
  command
    .optionsGroup('A real tenant:')
    .option('--base-url <url>', 'base URL of the API, https')
    .option('--auth-url <url>', 'realm or token endpoint, https')
    .option('--client-id <id>', 'client id; its secret comes from CLIENT_SECRET or a hidden prompt');
  for (const { pathOption, singular } of STREAMS_WITHOUT_PATH)
    command.option(`${optionName(pathOption)} <path>`, `path of the ${singular} list (default: that stream is off)`);
  return (
    command
      .option('--threat-asset-field <name>', 'member of a threat that names its asset (default: asset_id)')
      .option('--rows-member <name>', 'member that holds the rows of a page (default: detected)')
      .option('--pagination-member <name>', 'member that holds next_cursor (default: detected)')
      // The option is declared only so that it can be refused without repeating its value.
      .addOption(new Option('--client-secret [value]').hideHelp())
  );
}

const EXAMPLES = `
Examples:
  npm start                                  read the embedded API simulator to its end; a second run sends nothing twice
  npm start -- --change 50                   change rows first: a tombstone, withdrawn threats, updates
  npm start -- --reset --threats 100000      more rows, from the beginning
  npm start -- --name few --filter threats="severity != 'low'"
                                             how many rows a filter drops
  npm start -- --base-url https://api.example.com --auth-url https://login.example.com/realms/acme \\
    --client-id siem-connector --dns-blocks-path /v1/dns-blocks

A real tenant is only read. Its secret stays in memory and is never written to disk. Ctrl-C finishes the current page
and saves it; a second Ctrl-C stops at once. Nothing is lost either way: the next run continues.

Exit status: 0 caught up, 1 the run failed, 2 options are wrong and nothing was started, 130 interrupted.`;

/** The options cannot be used. Nothing was started. */
export class StartProblemsError extends Error {
  override readonly name = 'StartProblemsError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problemsText(NAME, problems));
    this.problems = problems;
  }
}

export interface EmbeddedTarget extends SeedCounts {
  readonly seed?: number;
  /** Number of changes before the run. */
  readonly change: number;
}

export interface TenantTarget {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clientId: string;
}

export interface StartRequest {
  readonly name: string;
  /** Absolute path of the folder with this connector's state and files. */
  readonly folder: string;
  readonly reset: boolean;
  readonly verbose: boolean;
  /**
   * Returns the settings that the options give, under the names of the function's environment
   * variables.
   */
  readonly settings: Readonly<Record<string, string>>;
  readonly target: EmbeddedTarget | TenantTarget;
  /** Arguments for another run that continues this run. */
  readonly again: readonly string[];
}

const REQUIRED_OF_TENANT = ['baseUrl', 'authUrl', 'clientId'] as const;
const ONLY_OF_TENANT = [
  ...REQUIRED_OF_TENANT,
  ...STREAMS_WITHOUT_PATH.map(({ pathOption }) => pathOption),
  'threatAssetField',
  'rowsMember',
  'paginationMember',
] as const;
const ONLY_OF_EMBEDDED = ['seed', ...SEED_COUNT_NAMES, 'change'] as const;

/**
 * Reads the arguments after the program's name.
 *
 * @param environment variables in which npm stores the options that it consumed
 * @param hasSecret whether a client secret is available or can be prompted for
 * @throws StartProblemsError, and CommanderError after `--help` was printed
 */
export function readRequest(args: readonly string[], environment: NodeJS.ProcessEnv, hasSecret: boolean): StartRequest {
  const { flags, problems: argumentProblems } = readArguments<StartFlags>(describe, args, environment);
  const isTenant = ONLY_OF_TENANT.some(flag => flags[flag] !== undefined);
  const name = flags.name ?? (isTenant ? defaultName(flags.baseUrl ?? '') : 'local');
  const settings = settingsOf({ ...flags, name });
  const problems = [
    ...argumentProblems,
    ...(flags.clientSecret === undefined ? [] : [SECRET_IS_NO_ARGUMENT]),
    ...(isTenant ? tenantProblems(flags, hasSecret) : []),
    ...settingProblems(isTenant ? settings : { ...EMBEDDED_PATHS, ...settings }),
    ...nameProblems(name),
  ];
  if (problems.length > 0) throw new StartProblemsError(problems);
  const { baseUrl, authUrl, clientId, change = 0 } = flags;
  const embedded = ONLY_OF_EMBEDDED.flatMap(flag => (flags[flag] === undefined ? [] : [[flag, flags[flag]]]));
  return {
    name,
    folder: join(resolve(flags.stateFolder), name),
    reset: flags.reset,
    verbose: flags.verbose,
    settings,
    target: isTenant
      ? { baseUrl: baseUrl!.trim(), authUrl: authUrl!.trim(), clientId: clientId! }
      : { ...Object.fromEntries(embedded), change },
    again: args.filter((arg, at) => !/^--(reset|change)(=|$)/.test(arg) && args[at - 1] !== '--change'),
  };
}

const SECRET_IS_NO_ARGUMENT =
  'the client secret cannot be an argument, because the process list and the shell history would show it. Set the environment variable CLIENT_SECRET, or omit it to be prompted';

function tenantProblems(flags: StartFlags, hasSecret: boolean): string[] {
  const missing = REQUIRED_OF_TENANT.filter(flag => flags[flag] === undefined);
  const foreign = ONLY_OF_EMBEDDED.filter(flag => flags[flag] !== undefined);
  return [
    ...missing.map(flag => `${optionName(flag)} is missing, which a real tenant needs`),
    ...foreign.map(
      flag => `${optionName(flag)} is about the embedded API simulator, but other options select a real tenant`,
    ),
    ...(hasSecret ? [] : ['the client secret is missing: set CLIENT_SECRET, or run in a terminal to be prompted']),
  ];
}

/**
 * Placeholders for settings that no option may give. With them, the function's rules can check the
 * settings that the options give.
 */
const OTHER_SETTINGS = {
  API_BASE_URL: 'https://host.example',
  AUTH_URL: 'https://host.example',
  ...resourceEnvironment(LOCAL_NAMES),
};

/** Paths of the embedded API simulator, which has every stream. */
const EMBEDDED_PATHS = Object.fromEntries(
  STREAMS_WITHOUT_PATH.map(({ name, pathOption }) => [environmentVariableOf(pathOption), `/${name}`]),
);

/** Settings from the options, by the names of the function's variables. */
function settingsOf(flags: StartFlags): Record<string, string> {
  const given = Object.entries(SETTINGS).map(([flag, setting]) => [setting, flags[flag as keyof StartFlags]] as const);
  return Object.fromEntries(
    given.flatMap(([setting, value]) => {
      if (value === undefined) return [];
      return [[setting, typeof value === 'string' ? value : JSON.stringify(value)]];
    }),
  );
}

/** The problems that the function would report, in terms of the options. */
function settingProblems(settings: Readonly<Record<string, string>>): string[] {
  try {
    readSettings({ ...OTHER_SETTINGS, ...settings });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(inTermsOfOptions);
    throw error;
  }
}

/** Names the option in a problem: `FILTERS.threats is …` → `--filter threats is …` */
function inTermsOfOptions(problem: string): string {
  const [setting = ''] = /^\w+/.exec(problem) ?? [];
  const flag = Object.entries(SETTINGS).find(([, each]) => each === setting)?.[0];
  return flag === undefined ? problem : `${optionName(flag)} ${problem.slice(setting.length + 1)}`;
}

const LONGEST_NAME = 32;

/**
 * Checks a name by the stack's rule for connector names, so that a name that works here can be
 * deployed.
 */
export function nameProblems(name: string): string[] {
  if (name.length <= LONGEST_NAME && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return [];
  const length = `${LONGEST_NAME} characters at most`;
  return [`--name must be lower-case letters, digits and single hyphens, a letter first, ${length}`];
}

/**
 * Derives a connector name from the host of a base URL, so that each tenant has its own state
 * folder.
 *
 *     https://api.acme.example/security  →  api-acme-example
 */
export function defaultName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : '';
  const words = host.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-');
  const safe = /^[a-z]/.test(name) ? name : `tenant-${name}`;
  return safe.slice(0, LONGEST_NAME).replace(/-+$/, '');
}
