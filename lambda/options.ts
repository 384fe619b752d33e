/**
 * Declares the options that reach the function, each of them once. The schema of `cdk.json`, the
 * settings of the function with their variables, and the tables of the documents follow from these
 * declarations.
 */
import * as v from 'valibot';
import { exactObject } from './exact-object.ts';
import { filterProblem } from './filters.ts';
import { enabledStreams, PAGE_LIMIT, RESERVED_ROW_MEMBERS, STREAMS, type StreamKey, streamKey } from './streams.ts';

export function integerSchema(min: number, max: number, unit = '') {
  const message = `must be a whole number ${unit && `of ${unit} `}from ${min} to ${max}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}

const listPath = v.pipe(
  v.string('must be a string'),
  v.regex(/^\/[^?#\s]*$/, 'must be a path that begins with /, without query, fragment or white space'),
);

/**
 * The function trims its settings, so a name with white space around it would be another name
 * there.
 */
const memberName = v.pipe(
  v.string('must be a string'),
  v.minLength(1, 'must not be empty'),
  v.regex(/^\S([\s\S]*\S)?$/u, 'must not begin or end with white space'),
);

const assetMember = v.pipe(
  memberName,
  v.notValues(RESERVED_ROW_MEMBERS, 'must be the member that names the asset, not one that every row has'),
);

/**
 * Schema of a date or a time. A date means the beginning of that day in UTC. A day that does not
 * exist, such as 2026-02-30, is refused, because it would be read as another day.
 */
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

/**
 * Largest number of bytes of all expressions together, and of all paths together, because Lambda
 * allows 4 KB for all variables together.
 */
const FILTER_BYTES = 1_000;

/** Number of bytes for the names of the streams, and for the quotes and commas between values. */
const FRAME_BYTES = 100;

const filter = v.pipe(
  v.string('must be an expression of JMESPath'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(FILTER_BYTES, `must have ${FILTER_BYTES} characters at most`),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? filterProblem(dataset.value) : undefined;
    if (message !== undefined) addIssue({ message });
  }),
);

const omittedMembers = v.pipe(
  v.array(
    v.pipe(
      v.string('must be the path of a member'),
      v.regex(/^[^.\s]+(\.[^.\s]+)*$/, 'must be names of members, joined by dots'),
      v.notValues<string, readonly string[], string>(
        RESERVED_ROW_MEMBERS,
        'must not be a member that the connector reads of every row',
      ),
    ),
    'must be a list',
  ),
  v.minLength(1, 'must name one member at least'),
  v.maxLength(20, 'must name 20 members at most'),
);

/** Schema of values by stream, under names such as `dnsBlocks`. */
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

export const OPTIONS = {
  dnsBlocksPath: v.optional(listPath),
  filters: v.optional(byStream(filter)),
  omit: v.optional(byStream(omittedMembers)),
  dnsBlocksSince: v.optional(instant),
  refreshDays: v.optional(integerSchema(1, 3650, 'days')),
  reconcileDays: v.optional(integerSchema(1, 3650, 'days')),
  threatAssetField: v.optional(assetMember, 'asset_id'),
  requestsPerMinute: v.optional(integerSchema(10, 6000)),
  rowsMember: v.optional(memberName),
  paginationMember: v.optional(memberName),
};

/** Settings that no option changes. */
export const FIXED_SETTINGS = {
  /**
   * Rows requested per page. A run halves the number by itself for pages that are too large or too
   * slow.
   */
  pageLimit: v.optional(integerSchema(PAGE_LIMIT.min, PAGE_LIMIT.max), PAGE_LIMIT.default),
  /**
   * Seconds that a lease lasts without renewal. After a crash, runs do nothing until the lease has
   * expired. A short lease is as safe as a long one, because the time limits of requests are
   * derived from it.
   */
  leaseSeconds: v.optional(integerSchema(1, 900, 'seconds'), 60),
};

/** Default value of each setting that may be absent. */
export const OPTION_DEFAULTS = v.getDefaults(v.object({ ...OPTIONS, ...FIXED_SETTINGS }));

/**
 * Name of the function's variable that holds an option, for example `REFRESH_DAYS` for
 * `refreshDays`.
 */
export function environmentVariableOf(option: string): string {
  return option.replace(/[A-Z]/g, capital => `_${capital}`).toUpperCase();
}

export type Options = v.InferOutput<v.ObjectSchema<typeof OPTIONS, undefined>>;

/** Finds options that are valid by themselves, but that contradict each other. */
export function optionContradictions(options: Partial<Options>): { path: string; reason: string }[] {
  const on = enabledStreams(({ pathOption }) => options[pathOption]).map(({ name }) => streamKey(name));
  const isOff = (key: string) => !on.includes(key as StreamKey);
  const { filters = {}, omit = {}, dnsBlocksSince, threatAssetField = OPTION_DEFAULTS.threatAssetField } = options;

  const withoutStream = [
    ...Object.keys(filters)
      .filter(isOff)
      .map(key => `filters.${key}`),
    ...Object.keys(omit)
      .filter(isOff)
      .map(key => `omit.${key}`),
    ...(dnsBlocksSince !== undefined && isOff('dnsBlocks') ? ['dnsBlocksSince'] : []),
  ];
  const hidesAsset = omit.threats?.includes(threatAssetField) ?? false;
  const reason = 'must not name the member that names the asset: a removal could not withdraw the threats';
  return [
    ...withoutStream.map(path => ({ path, reason: 'has no effect without dnsBlocksPath: the stream is off' })),
    ...(hidesAsset ? [{ path: 'omit.threats', reason }] : []),
  ];
}
