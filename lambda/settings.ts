/** The function's settings: the sole reader of the environment. */
import * as v from 'valibot';
import type { OcsfFields } from './core/ocsf/attributes.ts';
import { ocsfFieldsSetting } from './ocsf-setting.ts';
import type { MemberNames } from './ports.ts';
import {
  type AddressRule,
  AUTH_URL,
  BASE_URL,
  LEASE_SECONDS,
  LIST_PATH,
  RESERVED_MEMBERS,
  THREAT_ASSET_FIELD,
} from './setting-rules.ts';
import { PAGE_LIMIT } from './streams.ts';

export interface Settings {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly secretId: string;
  readonly table: string;
  readonly deliveryStream: string;
  readonly deadLetterBucket: string;
  readonly connector: string;
  /** Absent: the DNS block stream is off. */
  readonly dnsBlocksPath: string | undefined;
  readonly threatAssetField: string;
  readonly pageLimit: number;
  readonly names: MemberNames;
  readonly leaseSeconds: number;
  /** The mapping with which events are written in OCSF; absent: the envelope. */
  readonly ocsf?: OcsfFields | undefined;
  /** Endpoints that stand in for S3 have no host name a bucket. */
  readonly s3PathStyle: boolean;
}

/** Lists every fault of the environment at once; a value is never quoted. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The settings are wrong; nothing was started. ${faults.join('; ')}.`);
    this.faults = faults;
  }
}

const text = v.pipe(v.string('is missing'), v.trim(), v.nonEmpty('is empty'));
const url = v.pipe(
  text,
  v.check(isSafeUrl, 'must be an https URL without credentials, query or fragment (http to loopback alone)'),
);
const address = ({ message, repaired }: AddressRule) =>
  v.pipe(
    url,
    v.check(value => repaired(value) === value, message),
  );
const path = v.pipe(text, v.regex(LIST_PATH, 'must be a path that begins with "/", without query or fragment'));
const parentMember = v.pipe(text, v.notValues(RESERVED_MEMBERS, `must not be one of ${RESERVED_MEMBERS.join(', ')}`));

function integer(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, message),
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

const Environment = v.object({
  API_BASE_URL: address(BASE_URL),
  AUTH_URL: address(AUTH_URL),
  CREDENTIALS_SECRET_ID: text,
  STATE_TABLE: text,
  DELIVERY_STREAM: text,
  DEAD_LETTER_BUCKET: text,
  CONNECTOR_NAME: text,
  DNS_BLOCKS_PATH: v.optional(path),
  THREAT_ASSET_FIELD: v.optional(parentMember, THREAT_ASSET_FIELD),
  PAGE_LIMIT: v.optional(integer(PAGE_LIMIT.min, PAGE_LIMIT.max), String(PAGE_LIMIT.default)),
  ROWS_MEMBER: v.optional(text),
  PAGINATION_MEMBER: v.optional(text),
  LEASE_SECONDS: v.optional(integer(LEASE_SECONDS.min, LEASE_SECONDS.max), String(LEASE_SECONDS.default)),
  EVENT_FORMAT: v.optional(v.picklist(['envelope', 'ocsf'], 'must be envelope or ocsf'), 'envelope'),
  OCSF_FIELDS: v.optional(ocsfFieldsSetting),
  AWS_ENDPOINT_URL: v.optional(v.string()),
  AWS_ENDPOINT_URL_S3: v.optional(v.string()),
});

/** @throws SettingsError */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  // An optional setting that is empty is absent: infrastructure tools cannot always leave a variable out.
  const given = Object.entries(environment).filter(([name, value]) => value !== '' || REQUIRED.has(name));
  const parsed = v.safeParse(Environment, Object.fromEntries(given), { abortPipeEarly: true });
  const faults = [...(parsed.issues ?? []).map(describe), ...formatFaults(Object.fromEntries(given))];
  if (faults.length > 0 || !parsed.success) throw new SettingsError(faults);
  const { output } = parsed;
  return {
    baseUrl: output.API_BASE_URL,
    authUrl: output.AUTH_URL,
    secretId: output.CREDENTIALS_SECRET_ID,
    table: output.STATE_TABLE,
    deliveryStream: output.DELIVERY_STREAM,
    deadLetterBucket: output.DEAD_LETTER_BUCKET,
    connector: output.CONNECTOR_NAME,
    dnsBlocksPath: output.DNS_BLOCKS_PATH,
    threatAssetField: output.THREAT_ASSET_FIELD,
    pageLimit: output.PAGE_LIMIT,
    names: { rows: output.ROWS_MEMBER, pagination: output.PAGINATION_MEMBER },
    leaseSeconds: output.LEASE_SECONDS,
    ocsf: output.EVENT_FORMAT === 'ocsf' ? (output.OCSF_FIELDS ?? {}) : undefined,
    s3PathStyle: Boolean(output.AWS_ENDPOINT_URL_S3 ?? output.AWS_ENDPOINT_URL),
  };
}

/** What is compiled for one format means nothing to the other. */
function formatFaults({ EVENT_FORMAT: format, OCSF_FIELDS: fields }: NodeJS.ProcessEnv): string[] {
  return fields === undefined || format === 'ocsf' ? [] : ['OCSF_FIELDS has no effect unless EVENT_FORMAT is ocsf'];
}

const REQUIRED = new Set(
  Object.entries(Environment.entries).flatMap(([name, schema]) => (schema.type === 'optional' ? [] : [name])),
);

function describe(issue: v.BaseIssue<unknown>): string {
  const name = v.getDotPath(issue);
  const message = issue.received === 'undefined' ? 'is missing' : issue.message;
  return `${name} ${message}`;
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
