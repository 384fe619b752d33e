/**
 * Finds rows and cursor in a list answer. The names of the row array and of the pagination object are not shown in the
 * specification, so they are recognised by what they hold, and nothing is guessed: none, or several, is a contract error.
 */
import type { MemberNames } from '../ports.ts';
import { ContractError, JsonError } from './errors.ts';
import { OPEN_BRACE, OPEN_BRACKET } from './json/codes.ts';
import { CutBoundError, type CutElement, type CutMember, type CutOptions, cutBody } from './json/cutter.ts';

const utf8 = new TextDecoder();

/** Members of the answer itself, the row array among them. */
const MOST_MEMBERS = 1000;
/** In bytes. The checkpoint keeps the names of two members. */
const LONGEST_NAME = 256;
/** In bytes. The checkpoint keeps two cursors, beside its window of 48 KB at most; DynamoDB refuses an item beyond 400 KB. */
const LONGEST_CURSOR = 65_536;
/** In bytes. A larger object is no pagination object, and is not parsed. */
const LARGEST_PAGINATION = 1_048_576;

export interface PageContent {
  readonly rows: readonly CutElement[];
  readonly nextCursor: string | null;
  /** The names in use from here on: those given, and those found by exactly one candidate. */
  readonly names: MemberNames;
}

export interface PageRules {
  readonly path: string;
  /** How many rows were asked for. An answer that holds more breaks the contract. */
  readonly limit: number;
  readonly cut: CutOptions;
  /** Names that the settings give: they are binding. */
  readonly configured: MemberNames;
  /** Names that an earlier page taught: they save the search. An answer without them is searched again. */
  readonly learned: MemberNames;
}

/** @throws ContractError */
export function parsePage(body: Uint8Array, rules: PageRules): PageContent {
  const members = cut(body, rules);
  const pagination = findPagination(body, members, rules);
  const rows = findRows(body, members, pagination, rules);
  if (rows && rows.length > rules.limit)
    throw new ContractError(
      rules.path,
      `${rows.length} rows, more than the limit of ${rules.limit} that was asked for`,
    );
  for (const { name, elements } of members)
    if (name !== rows?.name && elements?.some(({ fault }) => fault === 'not-utf-8'))
      throw new ContractError(rules.path, 'not UTF-8 outside its rows');
  const names = { pagination: pagination.name, rows: rows?.isSure && rows.length > 0 ? rows.name : rules.learned.rows };
  // The table would refuse it only after the rows were sent, and every run would send them again.
  for (const text of [names.pagination, names.rows, pagination.nextCursor])
    if (text?.isWellFormed() === false)
      throw new ContractError(rules.path, "next_cursor or a member's name is no well-formed text");
  return { rows: rows?.elements ?? [], nextCursor: pagination.nextCursor, names };
}

function cut(body: Uint8Array, rules: PageRules): CutMember[] {
  try {
    const bounds = { mostElements: rules.limit, mostMembers: MOST_MEMBERS, longestName: LONGEST_NAME };
    return cutBody(body, rules.cut, bounds);
  } catch (error) {
    if (error instanceof CutBoundError) throw new ContractError(rules.path, error.message);
    if (!(error instanceof JsonError)) throw error;
    const what = isUtf8(body) ? 'not JSON' : 'not UTF-8';
    throw new ContractError(rules.path, `${what} (${error.message})`, { cause: error });
  }
}

function isUtf8(body: Uint8Array): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body) !== undefined;
  } catch {
    return false;
  }
}

interface Pagination {
  readonly name: string;
  readonly nextCursor: string | null;
  readonly pageSize: number | undefined;
}

function findPagination(body: Uint8Array, members: readonly CutMember[], rules: PageRules): Pagination {
  const wanted = rules.configured.pagination;
  const candidates = paginationCandidates(body, members).filter(each => wanted === undefined || each.name === wanted);
  const learned = candidates.filter(each => each.name === rules.learned.pagination);
  const found = learned.length === 1 ? learned : candidates;
  if (found.length === 1) return pagination(found[0]!, rules);
  const what = found.length === 0 ? `no${wanted ? '' : ' member'}` : 'more than one member';
  const where = wanted === undefined ? '' : ` "${wanted}"`;
  throw new ContractError(rules.path, `${what}${where} with next_cursor; members seen: ${seen(members)}`);
}

interface PaginationCandidate {
  readonly name: string;
  readonly value: Record<string, unknown>;
}

/** The members that are objects with `next_cursor`, and the answer itself, under the empty name. */
function paginationCandidates(body: Uint8Array, members: readonly CutMember[]): PaginationCandidate[] {
  const candidates: PaginationCandidate[] = [];
  const own: Record<string, unknown> = {};
  for (const member of members) {
    if (member.elements || member.end - member.start > LARGEST_PAGINATION) continue;
    const value: unknown = JSON.parse(utf8.decode(body.subarray(member.start, member.end)));
    if (member.name === 'next_cursor' || member.name === 'page_size') own[member.name] = value;
    if (isObject(value) && Object.hasOwn(value, 'next_cursor')) candidates.push({ name: member.name, value });
  }
  if (Object.hasOwn(own, 'next_cursor')) candidates.push({ name: '', value: own });
  return candidates;
}

function pagination({ name, value }: PaginationCandidate, rules: PageRules): Pagination {
  const { next_cursor: nextCursor, page_size: pageSize } = value;
  if (nextCursor !== null && (typeof nextCursor !== 'string' || nextCursor === '')) {
    throw new ContractError(rules.path, 'next_cursor is neither null nor a non-empty string');
  }
  // The table would refuse it only after the rows were sent, and every run would send them again.
  if (nextCursor !== null && Buffer.byteLength(nextCursor) > LONGEST_CURSOR)
    throw new ContractError(rules.path, `next_cursor is longer than ${LONGEST_CURSOR} bytes`);
  return { name, nextCursor, pageSize: typeof pageSize === 'number' ? pageSize : undefined };
}

/**
 * The row array, or undefined on a page that is certainly empty. A known name decides alone. Otherwise the rows are the one array that
 * holds objects with an `id`, and `page_size` only chooses among several.
 */
function findRows(
  body: Uint8Array,
  members: readonly CutMember[],
  { name: pagination, pageSize }: Pagination,
  rules: PageRules,
): (CutMember & { readonly isSure: boolean }) | undefined {
  const { rows: configured } = rules.configured;
  const wanted = configured ?? rules.learned.rows;
  const named = members.filter(({ name }) => name === wanted);
  if (configured !== undefined || named.length > 0) {
    const [only, ...others] = named;
    if (only?.elements && others.length === 0) return { ...only, isSure: true };
    return noRows(members, rules, `${others.length > 0 ? 'more than one' : 'no array'} "${wanted}"`);
  }
  const arrays = members.filter(member => member.elements?.some(hasId));
  const fitting = arrays.filter(({ length }) => pageSize === undefined || length === pageSize);
  const found = arrays.length === 1 ? arrays : fitting;
  // One that `page_size` contradicts may be something else: the next page is searched again.
  if (found.length === 1) return { ...found[0]!, isSure: fitting.length === 1 };
  if (arrays.length > 0) return noRows(members, rules, 'more than one array of objects with an id');
  const known = pagination === '' ? ['next_cursor', 'page_size'] : [pagination];
  const others = members.filter(({ name }) => !known.includes(name));
  return isEmpty(body, others, pageSize) ? undefined : noRows(members, rules, 'no array of objects with an id');
}

/**
 * Whether the members beside the pagination object leave no place for rows: an array is empty, and no other one holds more than plain
 * values; or there is no array at all, and neither null nor an object in its place.
 */
function isEmpty(body: Uint8Array, others: readonly CutMember[], pageSize: number | undefined): boolean {
  const isPlain = ({ start }: { readonly start: number }) => ![OPEN_BRACE, OPEN_BRACKET, NULL].includes(body[start]!);
  const arrays = others.filter(({ elements }) => elements);
  if (arrays.length === 0) return !pageSize && others.every(isPlain);
  const hasRoom = ({ start, end, elements, length }: CutMember) =>
    elements
      ? length > 0 && !(pageSize === 0 && length === elements.length && elements.every(isPlain))
      : OBJECT_IN_ARRAY.test(utf8.decode(body.subarray(start, end)));
  return arrays.some(({ length }) => length === 0) && !others.some(hasRoom);
}

/** The first letter of `null`. */
const NULL = 0x6e;
const OBJECT_IN_ARRAY = /[[,]\s*\{/;

/** Of a row that is nested too deep, the id may not have been read. */
function hasId(element: CutElement): boolean {
  if (element.isObject && element.fault === 'too-deep') return true;
  const id = element.wanted(0) ?? '';
  return id.startsWith('"') && id.length > '""'.length;
}

function noRows(members: readonly CutMember[], rules: PageRules, what: string): never {
  throw new ContractError(rules.path, `${what}; members seen: ${seen(members)}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MOST_NAMES = 8;

/**
 * Names only: values may be a tenant's data. A name that looks like no name may be data as well, such as an id or a token
 * that was echoed, so it is only counted.
 */
function seen(members: readonly CutMember[]): string {
  const names = members.map(each => each.name).filter(name => /^[A-Za-z_]{1,32}$/.test(name));
  const shown = names.slice(0, MOST_NAMES).map(name => JSON.stringify(name));
  const others = members.length - shown.length;
  return (
    [...shown, ...(others > 0 ? [`${others} ${shown.length > 0 ? 'more' : 'of other forms'}`] : [])].join(', ') ||
    'none'
  );
}
