import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { readSettings, SettingsError } from '../../lambda/settings.ts';
import {
  STREAMS,
  STREAMS_WITHOUT_PATH,
  type StreamKey,
  type StreamWithoutPath,
  streamKey,
} from '../../lambda/streams.ts';
import { LOCAL_NAMES } from '../aws/endpoints.ts';
import { optionOf, optionsKeptByNpm } from '../npm-options.ts';
import { COUNT_NAMES, defaultCounts, type SeedCounts } from '../platform/seed.ts';
import { type OcsfFields, ocsfMapping } from './ocsf-mapping.ts';
import { type SelectionFlags, selectionFault, selectionOf } from './selection.ts';

/** Options as they were typed. They are checked together later, so that every fault is reported at once. */
export type Flags = {
  readonly [flag in keyof typeof SETTINGS | keyof typeof COUNTS | 'clientId' | 'ocsfFields' | 'stateFolder']?: string;
} & SelectionFlags & { readonly reset?: boolean; readonly verbose?: boolean };

export interface CommandLine {
  readonly flags: Flags;
  /** Faults of the command line itself: unknown options and stray arguments. */
  readonly faults: readonly string[];
}

/**
 * Reads the arguments behind the program's name. `--help` prints and ends the process with 0.
 *
 * @param environment where npm stores the options that it took as its own
 */
export function readCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv = {}): CommandLine {
  const command = describe();
  const last = args.at(-1) ?? '';
  // Commander stops at an option without a value, which can only be the last one. An empty value is reported with the rest.
  const isBare = command.options.some(({ long, required }) => required && long === last);
  command.parse(isBare ? [...args.slice(0, -1), `${last}=`] : args, { from: 'user' });
  const { threatAssetMember: threatAssetField, ...flags } = command.opts<Flags & { threatAssetMember?: string }>();
  return {
    flags: threatAssetField === undefined ? flags : { threatAssetField, ...flags },
    faults: [...keptByNpm(command, environment), ...strays(command.args)],
  };
}

const SECRET_IS_NO_ARGUMENT =
  'the client secret cannot be an argument, because the process list and the shell history would show it. Set the environment variable CLIENT_SECRET, or omit it to be prompted';

function keptByNpm(command: Command, environment: NodeJS.ProcessEnv): string[] {
  const kept = optionsKeptByNpm(command, environment);
  if (kept.length === 0) return [];
  return [
    `npm took ${kept.join(', ')} as its own: type "--" before the options, as in "npm start -- ${kept.join(' ')}"`,
  ];
}

/** Values are not repeated, because one may be a secret. */
function strays(args: readonly string[]): string[] {
  const options = args.filter(arg => arg.startsWith('-')).map(arg => /^(--[a-z][a-z-]*|-.)?/i.exec(arg)![0] || '-');
  const faults = options.map(option =>
    /secret|password/i.test(option) ? SECRET_IS_NO_ARGUMENT : `${option} is not an option`,
  );
  if (options.length > 0 || args.length === 0) return faults;
  return [`${args.length} ${args.length === 1 ? 'argument has' : 'arguments have'} no option`];
}

function describe(): Command {
  const command = new Command('npm start --')
    .usage('[options]')
    .description(
      'Runs the connector on this machine: the same handler as in Lambda, with DynamoDB, Secrets Manager, Firehose and S3 ' +
        'replaced by local endpoints. Without options it drains an embedded platform; with --base-url, --auth-url and ' +
        '--client-id a real tenant. Events arrive as .json.gz files, laid out as in S3. Each run continues where the last one ended.',
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
    .option('--reset', 'start again: deletes state, log and delivered files of this name first')
    .option('--page-limit <n>', 'rows asked for in a page, 1 to 500 (default: 500)')
    .option('--format <format>', 'format of the events: envelope or ocsf (default: envelope)')
    .option(
      '--ocsf-fields <file>',
      'JSON file with a mapping to OCSF, as ocsfFields in the configuration (with --format ocsf)',
    )
    .addOption(
      repeatable('--filter <stream=expression>', 'send only rows for which the expression of JMESPath is not false'),
    )
    .addOption(repeatable('--omit <stream=path>', 'leave this member out of the rows; several joined by commas'))
    .option('--verbose', 'show stack traces of failures');
}

function repeatable(flags: string, text: string): Option {
  const collect = (value: string, before: readonly string[] = []) => [...before, value];
  return new Option(
    flags,
    `${text} (repeatable; streams: ${STREAMS.map(({ name }) => streamKey(name)).join(', ')})`,
  ).argParser(collect);
}

function describeEmbedded(command: Command): Command {
  command.optionsGroup('The embedded platform (kept for later runs, until --reset):');
  const counts = defaultCounts('start');
  for (const { name, singular } of STREAMS)
    command.option(`--${name} <n>`, `generated ${singular}s (default: ${counts[streamKey(name)]})`);
  return command
    .option('--seed <n>', 'the same seed gives the same rows and changes (default: 1)')
    .option('--change <n>', 'make n changes before the run: remove an asset with threats, restore one, then others');
}

function describeTenant(command: Command): Command {
  command
    .optionsGroup('A real tenant:')
    .option('--base-url <url>', 'base URL of the API, https')
    .option('--auth-url <url>', 'realm or token endpoint, https')
    .option('--client-id <id>', 'client id; its secret comes from CLIENT_SECRET or a hidden prompt');
  for (const { pathOption, singular } of STREAMS_WITHOUT_PATH)
    command.option(`${optionOf(pathOption)} <path>`, `path of the ${singular} list (default: that stream is off)`);
  return (
    command
      .option('--threat-asset-field <name>', 'member of a threat that names its asset (default: asset_id)')
      // The platform's name for it.
      .addOption(new Option('--threat-asset-member <name>').hideHelp())
      .option('--rows-member <name>', 'member that holds the rows of a page (default: detected)')
      .option('--pagination-member <name>', 'member that holds next_cursor (default: detected)')
  );
}

const EXAMPLES = `
Examples:
  npm start                                  drain the embedded platform; a second run sends nothing twice
  npm start -- --change 50                   change rows first: a tombstone, withdrawn threats, updates
  npm start -- --reset --threats 100000      more rows, from the beginning
  npm start -- --name few --filter threats="severity != 'low'"
                                             what a filter keeps and drops, in rows and bytes
  npm start -- --base-url https://api.example.com --auth-url https://login.example.com/realms/acme \\
    --client-id siem-connector --dns-blocks-path /v1/dns-blocks

A real tenant is only read. Its secret stays in memory and is never written to disk. Ctrl-C finishes the current page
and saves it; a second Ctrl-C stops at once. Nothing is lost either way: the next run continues.

Exit status: 0 drained, 1 the run failed, 2 options are wrong and nothing was started, 130 interrupted.`;

/** The options cannot be used. Nothing was started. */
export class StartFaultsError extends Error {
  override readonly name = 'StartFaultsError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`Nothing was started:\n${faults.map(fault => `  - ${fault}`).join('\n')}\n"npm start -- --help" explains.`);
    this.faults = faults;
  }
}

/** The embedded platform. Absent options are as in the state folder, or else the defaults. */
export interface EmbeddedTarget extends SeedCounts {
  readonly seed?: number;
  /** Changes before the run. */
  readonly change: number;
}

export interface TenantTarget {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clientId: string;
}

export interface StartRequest {
  readonly name: string;
  /** Folder of this connector's state and files, absolute. */
  readonly folder: string;
  readonly reset: boolean;
  readonly verbose: boolean;
  /** Settings from the options, by the function's names. */
  readonly settings: Readonly<Record<string, string>>;
  readonly format: 'envelope' | 'ocsf';
  /** The mapping to OCSF, if given. */
  readonly ocsfFields?: OcsfFields;
  /** The options `--filter` and `--omit` as they were typed. */
  readonly selection: SelectionFlags;
  readonly target: EmbeddedTarget | TenantTarget;
}

const REQUIRED_OF_TENANT = ['baseUrl', 'authUrl', 'clientId'] as const;
const ONLY_OF_TENANT = [
  ...REQUIRED_OF_TENANT,
  ...STREAMS_WITHOUT_PATH.map(({ pathOption }) => pathOption),
  'threatAssetField',
  'rowsMember',
  'paginationMember',
] as const;
/** The numeric options of the embedded platform and their greatest values. */
const COUNTS: Readonly<Record<StreamKey | 'seed' | 'change', number>> = {
  seed: 2 ** 31 - 1,
  ...(Object.fromEntries(COUNT_NAMES.map(name => [name, 1_000_000])) as Record<StreamKey, number>),
  change: 100_000,
};
type Counts = Partial<Record<keyof typeof COUNTS, number>>;

/**
 * @param hasSecret whether a client secret is available or can be prompted for
 * @throws StartFaultsError with every fault
 */
export function readRequest({ flags: typed, faults: shape }: CommandLine, hasSecret: boolean): StartRequest {
  const faults = [...shape];
  const flags = withValues(typed, faults);
  const isTenant = ONLY_OF_TENANT.some(flag => typed[flag] !== undefined);
  const name = flags.name ?? (isTenant ? defaultName(flags.baseUrl ?? '') : 'local');
  const mapping = ocsfMapping({ ...flags, name });
  const { filter = [], omit = [] } = flags;
  const selected = selectionOf({ filter, omit });
  const settings = { ...settingsOf({ ...flags, name }), ...mapping.settings, ...selected.settings };
  const { change = 0, ...tenantData } = readCounts(flags, faults);
  faults.push(
    ...(isTenant ? tenantFaults(typed, hasSecret) : []),
    ...settingFaults(isTenant ? settings : { ...EMBEDDED_PATHS, ...settings }),
  );
  faults.push(...mapping.faults, ...selected.faults);
  faults.push(...nameFault(name));
  if (faults.length > 0) throw new StartFaultsError(faults);
  const { stateFolder = '.local', reset = false, verbose = false } = flags;
  const folder = join(resolve(stateFolder), name);
  const format = flags.format === 'ocsf' ? 'ocsf' : 'envelope';
  const target = isTenant ? tenant(flags) : { ...tenantData, change };
  const ocsf = mapping.fields && { ocsfFields: mapping.fields };
  return { name, folder, reset, verbose, settings, format, target, selection: { filter, omit }, ...ocsf };
}

/** Leaves out options without a value and reports each as a fault. */
function withValues(typed: Flags, faults: string[]): Flags {
  const isBareText = (value: unknown) => typeof value === 'string' && (value.trim() === '' || value.startsWith('--'));
  const isBare = (value: unknown) => (Array.isArray(value) ? value.some(isBareText) : isBareText(value));
  const bare = Object.keys(typed).filter(flag => isBare(typed[flag as keyof Flags]));
  faults.push(...bare.map(flag => `${optionOf(flag)} has no value`));
  return Object.fromEntries(Object.entries(typed).filter(([flag]) => !bare.includes(flag)));
}

function readCounts(flags: Flags, faults: string[]): Counts {
  const counts: Counts = {};
  for (const [flag, max] of Object.entries(COUNTS) as [keyof Counts, number][]) {
    const text = flags[flag];
    if (text === undefined) continue;
    if (/^\d{1,10}$/.test(text) && Number(text) <= max) counts[flag] = Number(text);
    else faults.push(`${optionOf(flag)} must be a whole number from 0 to ${max}`);
  }
  return counts;
}

function tenantFaults(typed: Flags, hasSecret: boolean): string[] {
  const missing = REQUIRED_OF_TENANT.filter(flag => typed[flag] === undefined);
  const foreign = (Object.keys(COUNTS) as (keyof Flags)[]).filter(flag => typed[flag] !== undefined);
  return [
    ...missing.map(flag => `${optionOf(flag)} is missing, which a real tenant needs`),
    ...foreign.map(flag => `${optionOf(flag)} is about the embedded platform, but other options select a real tenant`),
    ...(hasSecret ? [] : ['the client secret is missing: set CLIENT_SECRET, or run in a terminal to be prompted']),
  ];
}

function tenant({ baseUrl, authUrl, clientId }: Flags): TenantTarget {
  return { baseUrl: baseUrl!.trim(), authUrl: authUrl!.trim(), clientId: clientId! };
}

const PATH_SETTINGS = Object.fromEntries(
  STREAMS_WITHOUT_PATH.map(({ pathOption, pathSetting }) => [pathOption, pathSetting]),
) as Record<StreamWithoutPath['pathOption'], string>;

/** The function's settings by the option that gives them. */
const SETTINGS = {
  baseUrl: 'API_BASE_URL',
  authUrl: 'AUTH_URL',
  name: 'CONNECTOR_NAME',
  ...PATH_SETTINGS,
  threatAssetField: 'THREAT_ASSET_FIELD',
  pageLimit: 'PAGE_LIMIT',
  rowsMember: 'ROWS_MEMBER',
  paginationMember: 'PAGINATION_MEMBER',
  format: 'EVENT_FORMAT',
} as const;

/** Placeholders for values that are known only when the endpoints run. */
const PLACEHOLDERS = {
  API_BASE_URL: 'https://host.example',
  AUTH_URL: 'https://host.example',
  STATE_TABLE: LOCAL_NAMES.stateTable,
  CREDENTIALS_SECRET_ID: LOCAL_NAMES.secret,
  DELIVERY_STREAM: LOCAL_NAMES.deliveryStream,
  DEAD_LETTER_BUCKET: LOCAL_NAMES.deadLetterBucket,
};

/** The embedded platform has every stream. */
const EMBEDDED_PATHS = Object.fromEntries(
  STREAMS_WITHOUT_PATH.map(({ name, pathSetting }) => [pathSetting, `/${name}`]),
);

/** Settings from the options, by the function's names. */
export function settingsOf(flags: Flags): Record<string, string> {
  const given = Object.entries(SETTINGS).map(([flag, setting]) => [setting, flags[flag as keyof Flags]]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** The faults that the function would report, in terms of the options. */
export function settingFaults(settings: Readonly<Record<string, string>>): string[] {
  try {
    readSettings({ ...PLACEHOLDERS, ...settings });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.map(inTermsOfOptions);
    throw error;
  }
}

function inTermsOfOptions(fault: string): string {
  const flag = Object.entries(SETTINGS).find(([, setting]) => fault.startsWith(`${setting} `));
  return flag ? optionOf(flag[0]) + fault.slice(flag[1].length) : selectionFault(fault);
}
const LENGTH = 32;

/** The stack's rule for connector names, so that a name that works here can be deployed. */
export function nameFault(name: string): string[] {
  if (name.length <= LENGTH && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return [];
  return [`--name must be lower-case letters, digits and single hyphens, a letter first, ${LENGTH} characters at most`];
}

/**
 * A connector name from the host of a base URL, so that each tenant has its own state folder.
 *
 *     https://api.acme.example/security  →  api-acme-example
 */
export function defaultName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : '';
  const words = host.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-');
  return (/^[a-z]/.test(name) ? name : `tenant-${name}`).slice(0, LENGTH).replace(/-+$/, '');
}
