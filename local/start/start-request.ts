import { join, resolve } from 'node:path';
import type { CommandLine, Flags } from './command-line.ts';
import { defaultName, nameFault } from './connector-name.ts';
import { type OcsfFields, ocsfMapping } from './ocsf-mapping.ts';
import { optionOf, settingFaults, settingsOf } from './option-settings.ts';

/** Something that was asked for cannot be; nothing has been started. */
export class StartFaultsError extends Error {
  override readonly name = 'StartFaultsError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`Nothing was started:\n${faults.map(fault => `  - ${fault}`).join('\n')}\n"npm start -- --help" explains.`);
    this.faults = faults;
  }
}

/** The embedded platform; what is absent is as in the state folder, or else the default. */
export interface EmbeddedTarget {
  readonly seed?: number;
  readonly assets?: number;
  readonly threats?: number;
  readonly dnsBlocks?: number;
  /** Changes that happen before the run. */
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
  /** Settings of the function that the options give, by the function's own names. */
  readonly settings: Readonly<Record<string, string>>;
  readonly format: 'envelope' | 'ocsf';
  /** The mapping to OCSF, where one was given. */
  readonly ocsfFields?: OcsfFields;
  readonly target: EmbeddedTarget | TenantTarget;
}

const REQUIRED_OF_TENANT = ['baseUrl', 'authUrl', 'clientId'] as const;
const ONLY_OF_TENANT = [
  ...REQUIRED_OF_TENANT,
  'dnsBlocksPath',
  'threatAssetField',
  'rowsMember',
  'paginationMember',
] as const;
/** Options of the embedded platform that are numbers, and the greatest of each. */
const COUNTS = { seed: 2 ** 31 - 1, assets: 1_000_000, threats: 1_000_000, dnsBlocks: 1_000_000, change: 100_000 };
type Counts = Partial<Record<keyof typeof COUNTS, number>>;

/**
 * @param hasSecret whether a client secret is at hand, or somebody who can be asked for it
 * @throws StartFaultsError with every fault
 */
export function readRequest({ flags: typed, faults: shape }: CommandLine, hasSecret: boolean): StartRequest {
  const faults = [...shape];
  const flags = withValues(typed, faults);
  const isTenant = ONLY_OF_TENANT.some(flag => typed[flag] !== undefined);
  const name = flags.name ?? (isTenant ? defaultName(flags.baseUrl ?? '') : 'local');
  const mapping = ocsfMapping({ ...flags, name });
  const settings = { ...settingsOf({ ...flags, name }), ...mapping.settings };
  const { change = 0, ...tenantData } = readCounts(flags, faults);
  faults.push(...(isTenant ? tenantFaults(typed, hasSecret) : []), ...settingFaults(settings), ...mapping.faults);
  faults.push(...nameFault(name));
  if (faults.length > 0) throw new StartFaultsError(faults);
  const { stateFolder = '.local', reset = false, verbose = false } = flags;
  const folder = join(resolve(stateFolder), name);
  const format = flags.format === 'ocsf' ? 'ocsf' : 'envelope';
  const target = isTenant ? tenant(flags) : { ...tenantData, change };
  return {
    name,
    folder,
    reset,
    verbose,
    settings,
    format,
    ...(mapping.fields && { ocsfFields: mapping.fields }),
    target,
  };
}

/** Leaves out the options that have no value, each of them a fault. */
function withValues(typed: Flags, faults: string[]): Flags {
  const isBare = (value: unknown) => typeof value === 'string' && (value.trim() === '' || value.startsWith('--'));
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
    ...foreign.map(flag => `${optionOf(flag)} is about the embedded platform, but other options name a real tenant`),
    ...(hasSecret ? [] : ['the client secret is missing: set CLIENT_SECRET, or run in a terminal to be asked for it']),
  ];
}

function tenant({ baseUrl, authUrl, clientId }: Flags): TenantTarget {
  return { baseUrl: baseUrl!.trim(), authUrl: authUrl!.trim(), clientId: clientId! };
}
