import { variableOf } from '../../lambda/options.ts';
import {
  ROW_MEMBERS,
  STREAMS,
  STREAMS_WITHOUT_PATH,
  type StreamName,
  type StreamWithoutPath,
} from '../../lambda/streams.ts';

/** Paths of the lists that the specification does not show. */
export type StreamPaths = { readonly [Option in StreamWithoutPath['pathOption']]: string };

/** Path of a stream's list. */
export function pathOf(name: StreamName, paths: StreamPaths): string {
  const stream = STREAMS.find(each => each.name === name)!;
  return 'path' in stream ? stream.path : paths[stream.pathOption];
}

/** Settings for what the specification leaves open. docs/api-simulator.md gives the reason for each default. */
export interface SimulatorSettings extends StreamPaths {
  /** Member of a list answer that holds the rows. */
  readonly rowsMember: string;
  /** Member of a list answer that holds `next_cursor` and `page_size`. */
  readonly paginationMember: string;
  /** Member of a threat that names its asset. */
  readonly threatAssetMember: string;
  /** `latest`: one row per id, at its newest position. `every-version`: older versions keep their positions. */
  readonly retention: 'latest' | 'every-version';
  /** Where the threats of a restored asset reappear. With `old-positions` a consumer that has read past them does not see them again. */
  readonly restoredThreats: 'new-positions' | 'old-positions';
  /**
   * How a walk ends. `full-page-null`: the last rows come with a null cursor. `empty-page-null`: rows always come with a
   * cursor, then an empty page with null. `repeat-cursor`: outside the contract, seen in the field: a caught-up poll gets its
   * own cursor back.
   */
  readonly endOfStream: 'full-page-null' | 'empty-page-null' | 'repeat-cursor';
  /** Milliseconds for which a change is withheld from the lists. */
  readonly withholdMs: number;
  /** Mean number of rows that share one `stream_position` (or `blocked_at`). */
  readonly tieSize: number;
  /** Probability that a page holds fewer rows than it could. */
  readonly shortPages: number;
  /** Probability that a page has a cursor and no rows. */
  readonly emptyPages: number;
  /** Every answer has its members in a different order. */
  readonly shuffleMembers: boolean;
  /** Answers are indented over many lines. */
  readonly prettyPrint: boolean;
  /** Milliseconds before each answer. */
  readonly latencyMs: number;
  readonly realm: string;
  readonly clientId: string;
  /** Absent = drawn from `random`, with characters that must be encoded in a Basic header. */
  readonly clientSecret?: string;
  /** Role that each endpoint requires. */
  readonly roles: Readonly<Record<StreamName, string>>;
  /** `signed`: JSON Web Tokens. `table`: opaque tokens looked up synchronously, for simulations that must replay exactly. */
  readonly tokens: 'signed' | 'table';
  /** URL of another server's realm, such as Keycloak's. Its tokens are accepted too. */
  readonly trustedIssuer?: string;
}

/** The configured paths among the settings. */
export function pathsIn(settings: StreamPaths): StreamPaths {
  const options = Object.keys(PATHS) as (keyof StreamPaths)[];
  return Object.fromEntries(options.map(option => [option, settings[option]])) as StreamPaths;
}

/** The function's variables for these paths. */
export function pathSettings(paths: StreamPaths): Record<string, string> {
  const given = STREAMS_WITHOUT_PATH.map(({ pathOption }) => [variableOf(pathOption), paths[pathOption]]);
  return Object.fromEntries(given);
}

const PATHS = Object.fromEntries(
  STREAMS_WITHOUT_PATH.map(({ name, pathOption }) => [pathOption, `/v1/${name}`]),
) as StreamPaths;

export const DEFAULT_SETTINGS: SimulatorSettings = {
  rowsMember: 'data',
  paginationMember: 'pagination',
  ...PATHS,
  threatAssetMember: 'asset_id',
  retention: 'latest',
  restoredThreats: 'new-positions',
  endOfStream: 'full-page-null',
  withholdMs: 0,
  tieSize: 1,
  shortPages: 0,
  emptyPages: 0,
  shuffleMembers: false,
  prettyPrint: false,
  latencyMs: 0,
  realm: 'organization',
  clientId: 'security-data-connector',
  roles: Object.fromEntries(STREAMS.map(({ name }) => [name, `${name}:read`])) as Record<StreamName, string>,
  tokens: 'signed',
};

/** Fills in the defaults. Throws a RangeError that names every invalid setting. */
export function completeSettings(given: Partial<SimulatorSettings>): SimulatorSettings {
  const known = Object.entries(given).filter(([name, value]) => value !== undefined && name in SETTING_NAMES);
  const settings: SimulatorSettings = { ...DEFAULT_SETTINGS, ...Object.fromEntries(known) };
  const problems = settingProblems(settings);
  if (problems.length > 0) throw new RangeError(problems.join('; '));
  return settings;
}

/** One sentence for each invalid setting. */
export function settingProblems(settings: SimulatorSettings): string[] {
  const { rowsMember, paginationMember, threatAssetMember, withholdMs, latencyMs } = settings;
  const { tieSize, shortPages, emptyPages } = settings;
  const paths = Object.entries(PATHS) as [keyof StreamPaths, string][];
  const rules: readonly [holds: boolean, problem: string][] = [
    [rowsMember !== paginationMember, 'rowsMember and paginationMember must differ'],
    ...paths.map(([option, example]): [boolean, string] => [
      /^\/[^?#]+$/.test(settings[option]),
      `${option} must be a path such as ${example}`,
    ]),
    [!ENVELOPE.has(threatAssetMember), 'threatAssetMember must not be a member with another meaning'],
    [withholdMs >= 0 && latencyMs >= 0, 'times must not be negative'],
    [tieSize >= 1, 'tieSize must be at least 1'],
    [isProbability(shortPages) && isProbability(emptyPages), 'probabilities must be in 0..1'],
    [emptyPages < 1, 'emptyPages must be below 1, or no walk would ever end'],
  ];
  return rules.flatMap(([holds, problem]) => (holds ? [] : [problem]));
}

/** Members that the API simulator writes. A row of the control API may set only `id` and its times. */
export const ENVELOPE: ReadonlySet<string> = new Set(ROW_MEMBERS);

const SETTING_NAMES = { ...DEFAULT_SETTINGS, clientSecret: undefined, trustedIssuer: undefined };

function isProbability(value: number): boolean {
  return value >= 0 && value <= 1;
}
