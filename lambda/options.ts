/**
 * The options that reach the function as environment variables, each declared once. The function's settings, the schema of `cdk.json`, the
 * documents and the function's environment follow from this table. Keys are names in `cdk.json`, and also those of the props of the construct.
 */
import * as v from 'valibot';
import { exactObject } from './exact-object.ts';
import { filterProblem } from './filters.ts';
import {
  PAGE_LIMIT,
  ROW_MEMBERS,
  STREAMS,
  STREAMS_WITHOUT_PATH,
  type StreamKey,
  type StreamWithoutPath,
  streamKey,
} from './streams.ts';

/** Seconds. A setting of the function without an option: every value is safe. */
export const LEASE_SECONDS = { min: 1, max: 900, default: 60 } as const;

interface FunctionOption {
  readonly schema: v.GenericSchema;
  readonly default?: unknown;
  /** Variable of the function that holds the value. */
  readonly variable: string;
}

const listPath = v.pipe(
  v.string('must be a string'),
  v.regex(/^\/[^?#\s]*$/, 'must be a path that begins with /, without query, fragment or white space'),
);

/** The function trims its settings, so a name with white space around it would be another name there. */
const memberName = v.pipe(
  v.string('must be a string'),
  v.minLength(1, 'must not be empty'),
  v.regex(/^\S([\s\S]*\S)?$/u, 'must not begin or end with white space'),
);

const assetMember = v.pipe(
  memberName,
  v.notValues(ROW_MEMBERS, 'must be the member that names the asset, not one that every row has'),
);

export function integer(min: number, max: number, unit = '') {
  const message = `must be a whole number ${unit && `of ${unit} `}from ${min} to ${max}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}

/** A day begins in UTC. A day that no month has, such as 2026-02-30, would be read as another one. */
const instant = v.pipe(
  v.string('must be a date'),
  v.regex(
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$/,
    'must be a date such as 2026-01-31, or a time with its zone such as 2026-01-31T12:00Z',
  ),
  v.check(isOnCalendar, 'must be a date that the calendar has'),
);

function isOnCalendar(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00Z`);
  return !Number.isNaN(Date.parse(text)) && day.toISOString().startsWith(text.slice(0, 10));
}

/** Paths of streams whose path the API's specification does not give. */
const PATH_OPTIONS = Object.fromEntries(
  STREAMS_WITHOUT_PATH.map(({ pathOption, pathSetting }) => [
    pathOption,
    {
      schema: listPath,
      variable: pathSetting,
    },
  ]),
) as Record<StreamWithoutPath['pathOption'], FunctionOption & { readonly schema: typeof listPath }>;

/** Bytes of all expressions, and of all paths: Lambda gives all variables 4 KB. */
const FILTER_BYTES = 1_000;

const filter = v.pipe(
  v.string('must be an expression of JMESPath'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(FILTER_BYTES, `must have ${FILTER_BYTES} characters at most`),
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? filterProblem(dataset.value) : undefined;
    if (problem !== undefined) addIssue({ message: problem });
  }),
);

/** The names of the streams, and the quotes and commas between values. */
const FRAME_BYTES = 100;

/** Members that the connector itself reads of every row. */
const READ_MEMBERS: readonly string[] = ROW_MEMBERS;

const omittedMembers = v.pipe(
  v.array(
    v.pipe(
      v.string('must be the path of a member'),
      v.regex(/^[^.\s]+(\.[^.\s]+)*$/, 'must be names of members, joined by dots'),
      v.check(path => !READ_MEMBERS.includes(path), 'must not be a member that the connector reads of every row'),
    ),
    'must be a list',
  ),
  v.minLength(1, 'must name one member at least'),
  v.maxLength(20, 'must name 20 members at most'),
);

/** Whether threats would lose the member that names their asset: a removal could not withdraw them. */
export function omitsAsset(omit: unknown, member: unknown = FUNCTION_OPTIONS.threatAssetField.default): boolean {
  const { threats } = (omit ?? {}) as { threats?: unknown };
  return Array.isArray(threats) && threats.includes(member);
}

export const OMITS_ASSET = 'must not name the member that names the asset: a removal could not withdraw the threats';

/** Values by stream, under names such as `dnsBlocks`. */
function byStream<T extends v.GenericSchema>(schema: T) {
  const entries = Object.fromEntries(STREAMS.map(({ name }) => [streamKey(name), v.optional(schema)]));
  return v.pipe(
    exactObject(entries as Record<StreamKey, v.OptionalSchema<T, undefined>>),
    v.check(
      values => Buffer.byteLength(JSON.stringify(values)) <= FILTER_BYTES + FRAME_BYTES,
      `must have ${FILTER_BYTES} bytes at most, all streams together`,
    ),
  );
}

export const FUNCTION_OPTIONS = {
  ...PATH_OPTIONS,
  filters: {
    schema: byStream(filter),
    variable: 'FILTERS',
  },
  omit: {
    schema: byStream(omittedMembers),
    variable: 'OMIT',
  },
  dnsBlocksSince: {
    schema: instant,
    variable: 'DNS_BLOCKS_SINCE',
  },
  refreshDays: {
    schema: integer(1, 3650, 'days'),
    variable: 'REFRESH_DAYS',
  },
  reconcileDays: {
    schema: integer(1, 3650, 'days'),
    variable: 'RECONCILE_DAYS',
  },
  threatAssetField: {
    schema: assetMember,
    default: 'asset_id',
    variable: 'THREAT_ASSET_FIELD',
  },
  requestsPerMinute: {
    schema: integer(10, 6000),
    variable: 'REQUESTS_PER_MINUTE',
  },
  rowsMember: {
    schema: memberName,
    variable: 'ROWS_MEMBER',
  },
  paginationMember: {
    schema: memberName,
    variable: 'PAGINATION_MEMBER',
  },
} as const satisfies Readonly<Record<string, FunctionOption>>;

type Table = typeof FUNCTION_OPTIONS;

/** Values of these options. Their names in `cdk.json` are those of the props. */
export type FunctionOptions = {
  readonly [K in keyof Table as Table[K] extends { default: unknown } ? K : never]: v.InferOutput<Table[K]['schema']>;
} & {
  readonly [K in keyof Table as Table[K] extends { default: unknown } ? never : K]?:
    | v.InferOutput<Table[K]['schema']>
    | undefined;
};

/** The settings that have a default, at their defaults. */
export const OPTION_DEFAULTS = {
  ...Object.fromEntries(
    Object.entries(FUNCTION_OPTIONS as Readonly<Record<string, { default?: unknown }>>).flatMap(
      ([key, { default: byDefault }]) => (byDefault === undefined ? [] : [[key, byDefault]]),
    ),
  ),
  pageLimit: PAGE_LIMIT.default,
  leaseSeconds: LEASE_SECONDS.default,
} as unknown as FunctionOptions & { readonly pageLimit: number; readonly leaseSeconds: number };

/** The connector appends these itself, so a base URL that ends in one would request `/v1/v1/assets`. */
const API_PATH = new RegExp(`/v1(/(${STREAMS.map(({ name }) => name).join('|')})(/[^/]+)?)?/*$`, 'i');

/** Paths of a realm that certainly are not its token endpoint. An unknown path may be right and is accepted. */
const OTHER_ENDPOINT = /\/(\.well-known\/.*|protocol\/openid-connect(?!\/token\/*$)(\/.*)?)$/i;

/** A rule for an address. `repaired` returns the address as it should be written: the same one where nothing is wrong. */
export interface AddressRule {
  readonly message: string;
  readonly repaired: (url: string) => string;
}

export const BASE_URL: AddressRule = {
  message: 'must be the base URL of the API without /v1 and without the path of a list',
  repaired: url => withoutEnd(url, API_PATH),
};

export const AUTH_URL: AddressRule = {
  message: 'must be the URL of the realm, or of its token endpoint, without the path of another endpoint',
  repaired: url => withoutEnd(url, OTHER_ENDPOINT),
};

function withoutEnd(url: string, end: RegExp): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return end.test(pathname) ? `${origin}${pathname.replace(end, '')}` : url;
}
