/**
 * Finds rows and cursor in a list answer. The names of the row array and of the pagination object are not shown in the
 * specification, so they are recognised by what they hold, and nothing is guessed: none, or several, is a contract error.
 */
import type { MemberNames } from '../ports.ts';
import { ContractError, JsonError } from './errors.ts';
import { OPEN_BRACE, OPEN_BRACKET } from './json/codes.ts';
import { CutBoundError, type CutElement, type CutMember, type CutOptions, cutBody } from './json/cutter.ts';
import { memberNames } from './json/members.ts';

const utf8 = new TextDecoder();

/** Members of the answer itself, the row array among them. */
const MOST_MEMBERS = 1000;
/** In bytes. The checkpoint keeps the names of two members. */
const LONGEST_NAME = 256;
/** In bytes. The checkpoint keeps two cursors, beside its window of 48 KB at most; DynamoDB refuses an item beyond 400 KB. */
const LONGEST_CURSOR = 65_536;
/** Bytes of the largest value that is parsed. A larger one is not the pagination object. */
const LARGEST_OBJECT = 1_048_576;

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
  /** Names that an earlier page taught. An answer that contradicts them is refused. */
  readonly learned: MemberNames;
}

/** A list answer and what it is read by. */
interface Answer {
  readonly body: Uint8Array;
  readonly members: readonly CutMember[];
  readonly rules: PageRules;
}

/** @throws ContractError */
export function parsePage(body: Uint8Array, rules: PageRules): PageContent {
  const answer: Answer = { body, members: cut(body, rules), rules };
  refuseRepeatedName(
    answer.members.map(({ name }) => name),
    answer,
  );

  const pagination = findPagination(answer);
  const rows = findRows(answer, pagination);
  if (rows && rows.length > rules.limit)
    throw new ContractError(
      rules.path,
      `${rows.length} rows, more than the limit of ${rules.limit} that was asked for`,
    );

  for (const { name, elements } of answer.members)
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

/** `JSON.parse` takes the last value of a name that comes twice, so rows or a cursor in the first one would be lost. */
function refuseRepeatedName(names: readonly string[], answer: Answer): void {
  const seenNames = new Set<string>();
  for (const name of names) {
    if (seenNames.has(name)) refuse(`more than one ${quoted(name, answer.rules)}`, answer);
    seenNames.add(name);
  }
}

interface Pagination {
  /** Empty: the answer itself. */
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly nextCursor: string | null;
  /** Undefined when it is absent or null. */
  readonly pageSize: unknown;
}

function findPagination(answer: Answer): Pagination {
  const { configured, learned } = answer.rules;
  const known = configured.pagination ?? learned.pagination;
  const candidates = paginationCandidates(answer).filter(({ name }) => known === undefined || name === known);
  const [only, ...others] = candidates;
  if (only && others.length === 0) return pagination(only, answer);

  const wanted = known === undefined ? 'member' : known === '' ? 'top of the answer' : quoted(known, answer.rules);
  const what = `${only ? 'more than one' : 'no'} ${wanted} with next_cursor`;
  return refuse(what, answer, adviceFor('pagination', answer.rules));
}

interface PaginationCandidate extends Pick<Pagination, 'name' | 'value'> {
  /** Absent: the answer itself. */
  readonly member?: CutMember;
}

/** The members that are objects with `next_cursor`, and the answer itself, under the empty name. */
function paginationCandidates({ body, members }: Answer): PaginationCandidate[] {
  const candidates: PaginationCandidate[] = [];
  const own: Record<string, unknown> = {};
  for (const member of members) {
    const isOwn = member.name === 'next_cursor' || member.name === 'page_size';
    // An array is neither a cursor nor a size, but it is not absent.
    if (isOwn && member.elements) own[member.name] = [];
    if (member.elements) continue;
    const value = parsed(member, body);
    if (isOwn) own[member.name] = value;
    if (isObject(value) && Object.hasOwn(value, 'next_cursor')) candidates.push({ name: member.name, value, member });
  }
  if (Object.hasOwn(own, 'next_cursor') && !Array.isArray(own['next_cursor']))
    candidates.push({ name: '', value: own });
  return candidates;
}

function pagination({ name, value, member }: PaginationCandidate, answer: Answer): Pagination {
  const { path } = answer.rules;
  if (member) refuseRepeatedName(memberNames(textOf(member, answer.body)), answer);

  const { next_cursor: nextCursor, page_size: pageSize } = value;
  if (nextCursor !== null && (typeof nextCursor !== 'string' || nextCursor === '')) {
    throw new ContractError(path, 'next_cursor is neither null nor a non-empty string');
  }
  // The table would refuse it only after the rows were sent, and every run would send them again.
  if (nextCursor !== null && Buffer.byteLength(nextCursor) > LONGEST_CURSOR)
    throw new ContractError(path, `next_cursor is longer than ${LONGEST_CURSOR} bytes`);
  return { name, value, nextCursor, pageSize: pageSize ?? undefined };
}

type Rows = CutMember & { readonly isSure: boolean };

/** The row array, or undefined on a page that is certainly empty. */
function findRows(answer: Answer, pagination: Pagination): Rows | undefined {
  const { configured, learned } = answer.rules;
  const known = configured.rows ?? learned.rows;
  // An API may leave out a member that is empty, but a name that the settings give is binding.
  const isDue = configured.rows !== undefined || answer.members.some(({ name }) => name === known);
  return known !== undefined && isDue ? knownRows(known, answer, pagination) : searchRows(answer, pagination);
}

/**
 * The array of the known name decides alone, unless it is empty where rows are due:
 *
 *     known: items     {"items": [a], "included": [x], "page_size": 7}    row a
 *                      {"items": [],  "included": [x], "page_size": 0}    an empty page
 *                      {"items": [],  "assets": [a],   "page_size": 1}    refused: page_size counts a row
 *                      {"items": [],  "assets": [a]}                      refused, unless the name is configured: nothing confirms the end
 */
function knownRows(known: string, answer: Answer, { name: pagination, value, pageSize }: Pagination): Rows {
  const { body, members, rules } = answer;
  const advice = adviceFor('rows', rules);
  const shown = quoted(known, rules);
  const named = members.find(({ name }) => name === known);
  if (!named?.elements) return refuse(`no array ${shown}`, answer, advice);

  const rows = { ...named, isSure: true };
  if (rows.length > 0 || pageSize === 0) return rows;
  if (pageSize !== undefined) return refuse(`${shown} is empty, and page_size is not 0`, answer, advice);
  if (rules.configured.rows !== undefined) return rows;

  const others = othersOf(answer, pagination).filter(other => other !== named);
  if (holdsIdWithin(value) || others.some(other => holdsId(other, body)))
    return refuse(`${shown} is empty, page_size is absent, and another member holds an id`, answer, advice);
  return rows;
}

/**
 * The rows are the one array that holds objects with an `id`. `page_size` only chooses where another member could be the rows instead:
 *
 *     {"items": [a, b], "page_size": 7}                      rows a, b: nothing else can be meant
 *     {"items": [a, b], "included": [x], "page_size": 2}     rows a, b
 *     {"items": [],     "included": [x], "page_size": 0}     refused: x may be a row
 *     {"items": {"a": {"id": "a"}}, "errors": []}            refused: a may be a row
 *     {"items": [],     "errors": [], "page_size": 0}        an empty page, whichever is the row array
 */
function searchRows(answer: Answer, { name: pagination, value, pageSize }: Pagination): Rows | undefined {
  const { body, rules } = answer;
  const advice = adviceFor('rows', rules);
  const others = othersOf(answer, pagination);
  const arrays = others.filter(({ elements }) => elements?.some(hasId));
  const countsNone = pageSize === undefined || pageSize === 0;

  const known = rules.learned.rows;
  if (known !== undefined && (arrays.length > 0 || !countsNone))
    return refuse(`no array ${quoted(known, rules)}`, answer, advice);

  const fitting = arrays.filter(({ length }) => length === pageSize);
  if (fitting.length === 1) return { ...fitting[0]!, isSure: true };

  const [only, ...further] = arrays;
  if (further.length > 0) return refuse('more than one array of objects with an id', answer, advice);
  if (only && others.some(other => other !== only && isRival(other, body)))
    return refuse('an array of objects with an id, and another member that may be the rows', answer, advice);
  // One that `page_size` contradicts may be something else: the next page is searched again.
  if (only) return { ...only, isSure: pageSize === undefined };

  if (countsNone && !holdsIdWithin(value) && hasNoRoom(others, answer, pageSize)) return undefined;
  return refuse('no array of objects with an id', answer, advice);
}

/** The members that are not the pagination's. */
function othersOf({ members }: Answer, pagination: string): CutMember[] {
  const own = pagination === '' ? ['next_cursor', 'page_size'] : [pagination];
  return members.filter(({ name }) => !own.includes(name));
}

/** Whether a member could be the rows in the place of an array that holds some: an empty array, null, an empty object, or rows by id. */
function isRival(member: CutMember, body: Uint8Array): boolean {
  if (member.elements) return member.length === 0;
  return !isPlain(member, body) && (isVacant(member, body) || holdsIdWithin(parsed(member, body)));
}

/**
 * Whether the members leave no place for rows: an array is empty, and no other member may hold rows; or there is no array at all, and
 * neither null nor an object in its place. Without a `page_size` of 0 plain values in an array may be rows, and null may stand for rows.
 */
function hasNoRoom(others: readonly CutMember[], { body }: Answer, pageSize: unknown): boolean {
  const arrays = others.filter(({ elements }) => elements);
  if (arrays.length === 0) return others.every(other => isPlain(other, body));
  const mayHoldRows = (other: CutMember) =>
    holdsId(other, body) || (pageSize !== 0 && (other.elements ? other.length > 0 : isVacant(other, body)));
  return arrays.some(({ length }) => length === 0) && !others.some(mayHoldRows);
}

function isPlain({ start }: { readonly start: number }, body: Uint8Array): boolean {
  return ![OPEN_BRACE, OPEN_BRACKET, NULL].includes(body[start]!);
}

/** The first letter of `null`. */
const NULL = 0x6e;

/** Whether a member is null or an object without members. */
function isVacant(member: CutMember, body: Uint8Array): boolean {
  return /^(?:null|\{\s*\})$/.test(textOf(member, body));
}

/** Of a row that is nested too deep, the id may not have been read. */
function hasId(element: CutElement): boolean {
  if (element.isObject && element.fault === 'too-deep') return true;
  const id = element.wanted(0) ?? '';
  return id.startsWith('"') && id.length > '""'.length;
}

/** Whether a member is, or may hold, an object with an id. An array of more than plain values, and what is too large to be parsed, may. */
function holdsId(member: CutMember, body: Uint8Array): boolean {
  const { elements, length } = member;
  if (elements) return length > elements.length || !elements.every(each => isPlain(each, body));
  if (isPlain(member, body)) return false;
  const value = parsed(member, body);
  return value === undefined || (isObject(value) && Object.hasOwn(value, 'id')) || holdsIdWithin(value);
}

/** Whether a value holds an object with an id, or an array of objects, at any depth. */
function holdsIdWithin(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const inner of Object.values(next)) {
      if (isObject(inner) && (Array.isArray(next) || Object.hasOwn(inner, 'id'))) return true;
      left.push(inner);
    }
  }
  return false;
}

function textOf({ start, end }: CutMember, body: Uint8Array): string {
  return utf8.decode(body.subarray(start, end));
}

/** The value of a member that is not an array, or undefined when it is too large to be parsed. */
function parsed(member: CutMember, body: Uint8Array): unknown {
  return member.end - member.start > LARGEST_OBJECT ? undefined : JSON.parse(textOf(member, body));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(what: string, { members, rules }: Answer, advice = ''): never {
  throw new ContractError(rules.path, `${what}; members seen: ${seen(members)}`, { advice });
}

/** Advice about names that are unclear or contradict the answer. */
function adviceFor(kind: keyof MemberNames, { configured, learned }: PageRules): string {
  if (configured[kind] !== undefined) return `Correct the option ${kind}Member, or remove it.`;
  const settings = 'The options rowsMember and paginationMember give the names.';
  return learned[kind] === undefined
    ? settings
    : `If the API has renamed its members, "npx --no -- connectorctl resync <stream>" forgets the names found before. ${settings}`;
}

/** Any other name may be data, such as an id or a token that was echoed. */
const SHOWN_NAME = /^[A-Za-z_]{1,32}$/;

function quoted(name: string, { configured }: PageRules): string {
  const isShown = name === configured.rows || name === configured.pagination || SHOWN_NAME.test(name);
  return isShown ? JSON.stringify(name) : '(a name that is not shown)';
}

const MOST_NAMES = 8;

/** Names only, because values may be a tenant's data. Names that are not shown are counted. */
function seen(members: readonly CutMember[]): string {
  const names = members.map(each => each.name).filter(name => SHOWN_NAME.test(name));
  const shown = names.slice(0, MOST_NAMES).map(name => JSON.stringify(name));
  const others = members.length - shown.length;
  return (
    [...shown, ...(others > 0 ? [`${others} ${shown.length > 0 ? 'more' : 'of other forms'}`] : [])].join(', ') ||
    'none'
  );
}
