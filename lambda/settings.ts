/** The function's settings. Nothing else reads the environment. */
import * as v from 'valibot';
import { issueText } from './issue-text.ts';
import {
  type AddressRule,
  AUTH_URL,
  BASE_URL,
  FUNCTION_OPTIONS,
  type FunctionOptions,
  integer,
  LEASE_SECONDS,
  OMITS_ASSET,
  omitsAsset,
} from './options.ts';
import type { MemberNames } from './ports.ts';
import type { ProxySettings } from './proxy.ts';
import { PAGE_LIMIT, streamKey, streamsOn } from './streams.ts';

export interface Settings extends Omit<FunctionOptions, 'rowsMember' | 'paginationMember'> {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly secretId: string;
  readonly table: string;
  readonly deliveryStream: string;
  readonly deadLetterBucket: string;
  readonly connector: string;
  readonly names: MemberNames;
  /** Rows requested per page. */
  readonly pageLimit: number;
  /** How long a lease lasts without renewal. */
  readonly leaseSeconds: number;
  /** Absent: connections are direct. */
  readonly proxy?: ProxySettings | undefined;
  /** Local S3 endpoints do not support per-bucket host names. */
  readonly s3PathStyle: boolean;
}

/** Lists every problem of the environment at once. Values are never quoted. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The settings are wrong; nothing was started. ${problems.join('; ')}.`);
    this.problems = problems;
  }
}

const text = v.pipe(v.string('is missing'), v.trim(), v.nonEmpty('is empty'));
const url = v.pipe(
  text,
  v.check(isSafeUrl, 'must be an https URL without credentials, query or fragment (http to loopback alone)'),
);
/** An address that the function connects to. */
const address = ({ message, repaired }: AddressRule) =>
  v.pipe(
    url,
    v.check(value => repaired(value) === value, message),
  );

/** A variable holds text. Anything but digits becomes NaN, which every rule for numbers refuses. */
const number = v.pipe(
  v.string(),
  v.transform(digits => (/^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN)),
);

const json = v.pipe(v.string(), v.parseJson(undefined, 'is no JSON'));

/** Parses an option's value from the text of its variable. */
function parserOf({ type }: v.GenericSchema) {
  if (type === 'number') return number;
  return type === 'strict_object' ? json : text;
}

const OPTIONS = Object.entries<{
  readonly schema: v.GenericSchema;
  readonly variable: string;
  readonly default?: unknown;
}>(FUNCTION_OPTIONS);

/** Variables without an option. docs/configuration.md has a table of them. */
const Environment = v.object({
  /** Base URL of the API. https, or http to loopback. */
  API_BASE_URL: address(BASE_URL),
  /** Realm or token endpoint. https, or http to loopback. */
  AUTH_URL: address(AUTH_URL),
  /** Name or ARN of the secret with `{"client_id", "client_secret"}`. */
  CREDENTIALS_SECRET_ID: text,
  /** Name of the table. */
  STATE_TABLE: text,
  /** Name of the delivery stream. */
  DELIVERY_STREAM: text,
  /** Bucket for rows that cannot be sent. */
  DEAD_LETTER_BUCKET: text,
  /** `connector` in events, `service` on metrics. */
  CONNECTOR_NAME: text,
  /**
   * Rows requested per page, 1 to 500. The stack leaves it out, because a run halves it by itself for pages that are too large or too slow.
   *
   * @default - `500`
   */
  PAGE_LIMIT: v.optional(v.pipe(number, integer(PAGE_LIMIT.min, PAGE_LIMIT.max)), String(PAGE_LIMIT.default)),
  /**
   * How long a lease lasts without renewal, 1 to 900 seconds. After a crash no run starts until it has expired. The stack leaves it out.
   *
   * @default - `60`
   */
  LEASE_SECONDS: v.optional(
    v.pipe(number, integer(LEASE_SECONDS.min, LEASE_SECONDS.max)),
    String(LEASE_SECONDS.default),
  ),
  /**
   * Node's own variable. With `1`, `HTTPS_PROXY` and `NO_PROXY` have effect.
   *
   * @default - connections are direct
   */
  NODE_USE_ENV_PROXY: v.optional(v.string()),
  /** The option `proxyUrl`. */
  HTTPS_PROXY: v.optional(text),
  /**
   * Hosts that are reached without the proxy: those of the option `noProxy`, and those of the function itself.
   *
   * @default - every host is reached through the proxy
   */
  NO_PROXY: v.optional(v.string()),
  /**
   * The SDK's own variable, as `AWS_ENDPOINT_URL_DYNAMODB` and the like.
   *
   * @default - AWS
   */
  AWS_ENDPOINT_URL: v.optional(v.string()),
  /**
   * As above. With either of them S3 is addressed by path.
   *
   * @default - AWS
   */
  AWS_ENDPOINT_URL_S3: v.optional(v.string()),
});

/** Each option has its own variable. */
const Options = v.object(
  Object.fromEntries(
    OPTIONS.map(([, { schema, variable, default: byDefault }]) => {
      const parsed = v.pipe(parserOf(schema), schema as v.GenericSchema<never>);
      return [variable, byDefault === undefined ? v.optional(parsed) : v.optional(parsed, String(byDefault))];
    }),
  ),
);

/** Name of every variable that is read. */
export const VARIABLES: readonly string[] = [Environment, Options].flatMap(({ entries }) => Object.keys(entries));

/** @throws SettingsError */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  // An optional setting that is empty is absent: infrastructure tools cannot always leave a variable out.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== '' || REQUIRED.has(name)),
  );
  const own = v.safeParse(Environment, given, { abortPipeEarly: true });
  const options = v.safeParse(Options, given, { abortPipeEarly: true });
  const issues = [...(own.issues ?? []), ...(options.issues ?? [])].map(describe);
  const problems = [...issues, ...(options.success ? filterProblems(byName(options.output)) : [])];
  if (problems.length > 0 || !own.success || !options.success) throw new SettingsError(problems);
  const { rowsMember, paginationMember, ...rest } = byName(options.output);
  const { HTTPS_PROXY, NO_PROXY } = own.output;
  return {
    ...rest,
    baseUrl: own.output.API_BASE_URL,
    authUrl: own.output.AUTH_URL,
    secretId: own.output.CREDENTIALS_SECRET_ID,
    table: own.output.STATE_TABLE,
    deliveryStream: own.output.DELIVERY_STREAM,
    deadLetterBucket: own.output.DEAD_LETTER_BUCKET,
    connector: own.output.CONNECTOR_NAME,
    names: { rows: rowsMember, pagination: paginationMember },
    pageLimit: own.output.PAGE_LIMIT,
    leaseSeconds: own.output.LEASE_SECONDS,
    proxy: own.output.NODE_USE_ENV_PROXY === '1' && HTTPS_PROXY ? { HTTPS_PROXY, NO_PROXY } : undefined,
    s3PathStyle: Boolean(own.output.AWS_ENDPOINT_URL_S3 ?? own.output.AWS_ENDPOINT_URL),
  };
}

function byName(output: Readonly<Record<string, unknown>>): FunctionOptions {
  const values = OPTIONS.map(([key, { variable }]) => [key, output[variable]]);
  return Object.fromEntries(values) as FunctionOptions;
}

/** A filter has no effect on a stream that is off, and must not hide which asset a threat belongs to. */
function filterProblems(options: FunctionOptions): string[] {
  const on = new Set<string>(streamsOn(({ pathOption }) => options[pathOption]).map(({ name }) => streamKey(name)));
  const without = (['filters', 'omit'] as const).flatMap(name =>
    Object.keys(options[name] ?? {}).flatMap(key =>
      on.has(key) ? [] : [`${FUNCTION_OPTIONS[name].variable}.${key} has no effect: the stream is off`],
    ),
  );
  if (options.dnsBlocksSince !== undefined && !on.has('dnsBlocks'))
    without.push(`${FUNCTION_OPTIONS.dnsBlocksSince.variable} has no effect: the stream is off`);
  if (!omitsAsset(options.omit, options.threatAssetField)) return without;
  return [...without, `${FUNCTION_OPTIONS.omit.variable}.threats ${OMITS_ASSET}`];
}

const REQUIRED = new Set(
  Object.entries(Environment.entries).flatMap(([name, schema]) => (schema.type === 'optional' ? [] : [name])),
);

function describe(issue: v.BaseIssue<unknown>): string {
  return issue.received === 'undefined' ? `${v.getDotPath(issue)} is missing` : issueText(issue, 'the environment');
}

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username || password || search || hash) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
