/**
 * Whether an attribute takes a value of a row. Every answer is at least as strict as OCSF's own type, so that no event is
 * ever invalid; what is not taken stays in `unmapped`.
 */
import { MINUS, NINE, QUOTE, ZERO } from '../json/codes.ts';
import { arrayElements } from '../json/members.ts';
import type { OcsfField, OcsfType } from './attributes.ts';

export interface TakenValue {
  /** JSON text. */
  readonly text: string;
  /** JSON text of the caption, for the attribute beside it. */
  readonly caption?: string;
}

/** @param json raw JSON text of the member's value */
export function takeValue(json: string, field: OcsfField): TakenValue | undefined {
  if (field.array) return takeArray(json, field);
  if (field.enum) return takeNamed(json, field.enum, field.type ?? 'string');
  const text = TAKERS[field.type ?? 'string'](json);
  return text === undefined ? undefined : { text };
}

type Taker = (json: string) => string | undefined;

const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})?$/;
const MAC = /^(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$/;
const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
const EMAIL = /^[\w.+-]+@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+$/;
/** OCSF's own pattern wants the padding, even where base64 needs none. */
const BASE64 = /^(?:(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=))?$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
const IPV6_GROUPS = /^(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?$/;
const MAX_SUBNET_LENGTH = 42;
const MAX_PORT = 65_535;

const TAKERS: Readonly<Record<OcsfType, Taker>> = {
  string: json => (isString(json) ? json : undefined),
  integer,
  // 18 digits: within what 64 bits hold.
  long: integer,
  float: json => (isNumber(json) && Number.isFinite(Number(json)) ? json : undefined),
  boolean: json => (json === 'true' || json === 'false' ? json : undefined),
  json: json => json,
  timestamp,
  datetime: matching(text => DATETIME.test(text)),
  ip: matching(isAddress),
  mac: matching(text => MAC.test(text)),
  uuid: matching(text => UUID.test(text)),
  email: matching(text => EMAIL.test(text)),
  bytestring: matching(text => BASE64.test(text)),
  subnet: matching(text => text.length <= MAX_SUBNET_LENGTH),
  port: json => (integer(json) !== undefined && Number(json) >= 0 && Number(json) <= MAX_PORT ? json : undefined),
};

/** Every type that a mapping may name. */
export const OCSF_TYPES = Object.keys(TAKERS) as OcsfType[];

function isString(json: string): boolean {
  return json.charCodeAt(0) === QUOTE;
}

function isNumber(json: string): boolean {
  const first = json.charCodeAt(0);
  return first === MINUS || (first >= ZERO && first <= NINE);
}

function integer(json: string): string | undefined {
  return INTEGER.test(json) ? json : undefined;
}

/** A time in ISO 8601 with its zone; a whole number is taken for the milliseconds that OCSF asks for. */
function timestamp(json: string): string | undefined {
  if (!isString(json)) return integer(json);
  return epochMilliseconds(JSON.parse(json))?.toString();
}

function matching(fits: (text: string) => boolean): Taker {
  return json => (isString(json) && fits(JSON.parse(json)) ? json : undefined);
}

function isAddress(text: string): boolean {
  if (IPV4.test(text)) return true;
  const halves = text.split('::');
  if (halves.length > 2 || !halves.every(half => IPV6_GROUPS.test(half))) return false;
  const groups = halves.flatMap(half => (half === '' ? [] : half.split(':'))).length;
  return halves.length === 1 ? groups === 8 : groups < 8;
}

/** One of the enum's values, or its caption in any case. 99, Other, stands for a value of which nothing is known here. */
function takeNamed(json: string, names: Readonly<Record<string, string>>, type: OcsfType): TakenValue | undefined {
  const value = type === 'string' ? byValue(json, names) : (byNumber(json, names) ?? byCaption(json, names));
  if (value === undefined) return undefined;
  if (type === 'string') return { text: JSON.stringify(value) };
  return value === '99' ? { text: value } : { text: value, caption: JSON.stringify(names[value]) };
}

function byValue(json: string, names: Readonly<Record<string, string>>): string | undefined {
  const value = isString(json) ? (JSON.parse(json) as string) : undefined;
  return value !== undefined && Object.hasOwn(names, value) ? value : undefined;
}

function byNumber(json: string, names: Readonly<Record<string, string>>): string | undefined {
  return isNumber(json) && Object.hasOwn(names, json) ? json : undefined;
}

function byCaption(json: string, names: Readonly<Record<string, string>>): string | undefined {
  if (!isString(json)) return undefined;
  const wanted = (JSON.parse(json) as string).toLowerCase();
  return Object.keys(names).find(value => names[value]!.toLowerCase() === wanted);
}

function takeArray(json: string, { array: _, ...field }: OcsfField): TakenValue | undefined {
  if (!json.startsWith('[')) return undefined;
  const taken = arrayElements(json).map(element => takeValue(element, field)?.text);
  return taken.includes(undefined) ? undefined : { text: `[${taken.join(',')}]` };
}

/** Times of OCSF are milliseconds since the epoch. A zone is required: without one the time would be read as that of this machine. */
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;
const DATE_LENGTH = 10;
const DAYS_OF_EVERY_MONTH = 28;

/** @returns nothing for what is no time, such as a month of 13 or a 30 February */
export function epochMilliseconds(iso: string): number | undefined {
  if (!ZONED.test(iso) || !isDay(iso.slice(0, DATE_LENGTH))) return undefined;
  // The offset without its colon is ISO 8601 too, but not what ECMAScript promises to read.
  const time = Date.parse(iso.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(time) ? undefined : time;
}

/** V8 takes the 30 February for the 2 March. */
function isDay(date: string): boolean {
  const day = Number(date.slice(-2));
  return day <= DAYS_OF_EVERY_MONTH || new Date(`${date}T00:00Z`).getUTCDate() === day;
}
