import { RESERVED_ROW_MEMBERS, STREAMS, type StreamName, type StreamWithoutPath } from '../../lambda/streams.ts';

const text = (fallback: string, about: string, pattern = /./) => ({ about, fallback, pattern });

const number = (fallback: number, about: string, max = Number.MAX_SAFE_INTEGER) => {
  return { about, fallback, min: fallback, max };
};

/** Setting with a choice of words. The first word is the default. */
const choice = <T extends string>(about: string, ...choices: readonly [T, ...T[]]) => {
  return { about, fallback: choices[0] as T, choices };
};

/**
 * Members that the API simulator itself writes. A row from the control API may set only `id` and
 * its times.
 */
export const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set(RESERVED_ROW_MEMBERS);

/**
 * Settings for questions that the specification leaves open. Each setting is an option of
 * `createSimulator` and a flag of the command line, and docs/api.md has the questions.
 */
export const SIMULATOR_SETTINGS = {
  dnsBlocksPath: text('/v1/dns-blocks', 'path of the DNS block list', /^\/[^?#]+$/),
  rowsMember: text('data', 'member that holds the rows of a list'),
  paginationMember: text('pagination', 'member that holds the pagination object'),
  threatAssetMember: text('asset_id', 'member of a threat that names its asset'),
  retention: choice('versions of an id that a stream keeps', 'latest', 'every-version'),
  restoredThreats: choice('where threats of a restored asset reappear', 'new-positions', 'old-positions'),
  endOfStream: choice('how a walk ends', 'full-page-null', 'empty-page-null', 'repeat-cursor'),
  withholdMs: number(0, 'how long changes are withheld from the lists'),
  tieSize: number(1, 'mean number of rows that share a stream position'),
  shortPages: number(0, 'probability of a page shorter than it could be', 1),
  // The probability must be less than 1, because at 1 no walk would ever end.
  emptyPages: number(0, 'probability of an empty page with a cursor', 0.99),
  shuffleMembers: { about: 'every answer has its members in a different order', fallback: false as boolean },
  latencyMs: number(0, 'milliseconds before each answer'),
  clientId: text('security-data-connector', 'client id of the service account'),
  clientSecret: {
    about: 'client secret of the service account (default: drawn from the seed)',
    fallback: undefined as string | undefined,
  },
};

export type SimulatorSettings = {
  readonly [Name in keyof typeof SIMULATOR_SETTINGS]: (typeof SIMULATOR_SETTINGS)[Name]['fallback'];
};

/** Path of the list of a stream. */
export function listPathOf(name: StreamName, paths: Pick<SimulatorSettings, StreamWithoutPath['pathOption']>): string {
  const stream = STREAMS.find(each => each.name === name)!;
  return 'path' in stream ? stream.path : paths[stream.pathOption];
}

/** Adds the defaults. Throws a RangeError that names every invalid setting. */
export function completeSettings(given: Partial<SimulatorSettings>): SimulatorSettings {
  const settings = Object.fromEntries(
    Object.entries(SIMULATOR_SETTINGS).map(([name, { fallback }]) => [
      name,
      given[name as keyof SimulatorSettings] ?? fallback,
    ]),
  ) as unknown as SimulatorSettings;
  const problems = settingProblems(settings);
  if (problems.length > 0) throw new RangeError(problems.join('; '));
  return settings;
}

/** Returns one sentence for each invalid setting. */
export function settingProblems(settings: SimulatorSettings): string[] {
  const problems = Object.entries(SIMULATOR_SETTINGS).flatMap(([name, setting]) => {
    const value = settings[name as keyof SimulatorSettings];
    if (value === undefined) return [];
    if ('min' in setting && !(Number(value) >= setting.min && Number(value) <= setting.max)) {
      return [`${name} must be a number from ${setting.min} to ${setting.max}`];
    }
    if (!('pattern' in setting) || setting.pattern.test(String(value))) return [];
    return [`${name} must be a ${setting.about}, for example ${setting.fallback}`];
  });
  if (settings.rowsMember === settings.paginationMember) problems.push('rowsMember and paginationMember must differ');
  if (ENVELOPE_MEMBERS.has(settings.threatAssetMember)) {
    problems.push('threatAssetMember must not be a member with another meaning');
  }
  return problems;
}
