/**
 * Finds rows and cursor in a list answer. The specification does not show the names of the row
 * array and of the pagination object, so they are recognized by their content. Nothing is guessed:
 * if no member fits, or if several fit, the answer breaks the contract.
 */
import { isUtf8 } from 'node:buffer';
import type { MemberNames } from '../ports.ts';
import { ContractError, JsonError } from './errors.ts';
import { type CutElement, type CutMember, cutBody } from './json/cutter.ts';
import { membersOf } from './json/members.ts';

/** Largest number of members of the answer's top object. The row array is one of them. */
const MOST_MEMBERS = 1000;
/**
 * Longest name of a member, in bytes. It is limited, because the checkpoint holds the names of two
 * members.
 */
const LONGEST_NAME = 256;
/**
 * Longest cursor, in bytes. The checkpoint holds two cursors in addition to its window of at most
 * 48 KB, and DynamoDB refuses an item larger than 400 KB.
 */
const LONGEST_CURSOR = 65_536;

export interface PageContent {
  readonly rows: readonly CutElement[];
  readonly nextCursor: string | null;
  /** Names to use for the next page, as far as they were found without doubt. */
  readonly names: MemberNames;
}

export interface PageRules {
  readonly path: string;
  /** Number of rows that were requested. An answer with more rows breaks the contract. */
  readonly limit: number;
  /**
   * Names of the members that are taken out of each row. The second name in the list is that of the
   * id.
   */
  readonly cut: readonly string[];
  /** Names from the settings. They are binding. */
  readonly configured: MemberNames;
  /** Names that were learned from an earlier page. An answer that contradicts them is refused. */
  readonly learned: MemberNames;
}

/** A list answer, and the rules for reading it. */
interface Answer {
  readonly members: readonly CutMember[];
  readonly rules: PageRules;
}

/** @throws ContractError */
export function parsePage(body: Uint8Array, rules: PageRules): PageContent {
  const answer: Answer = { members: cut(body, rules), rules };
  refuseRepeatedName(answer.members, answer);

  const pagination = findPagination(answer);
  const rows = findRows(answer, pagination);
  if (rows && rows.length > rules.limit)
    throw new ContractError(
      rules.path,
      `${rows.length} rows, more than the limit of ${rules.limit} that was asked for`,
    );

  for (const { name, elements } of answer.members)
    if (name !== rows?.name && elements?.some(({ violation }) => violation === 'not-utf-8'))
      throw new ContractError(rules.path, 'not UTF-8 outside its rows');

  const names = { pagination: pagination.name, rows: rows?.isSure && rows.length > 0 ? rows.name : rules.learned.rows };
  // The table would refuse such a text only after the rows were sent, and every run would send them
  // again.
  for (const text of [names.pagination, names.rows, pagination.nextCursor])
    if (text?.isWellFormed() === false)
      throw new ContractError(rules.path, "next_cursor or a member's name is not well-formed text");

  return { rows: rows?.elements ?? [], nextCursor: pagination.nextCursor, names };
}

function cut(body: Uint8Array, rules: PageRules): CutMember[] {
  const members: CutMember[] = [];
  try {
    for (const member of cutBody(body, rules.cut, rules.limit)) {
      if (members.push(member) > MOST_MEMBERS) throw new ContractError(rules.path, `more than ${MOST_MEMBERS} members`);
      if (Buffer.byteLength(member.name) > LONGEST_NAME)
        throw new ContractError(rules.path, `a member's name longer than ${LONGEST_NAME} bytes`);
    }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const problem = isUtf8(body) ? 'not JSON' : 'not UTF-8';
    throw new ContractError(rules.path, `${problem} (${error.message})`, { cause: error });
  }
  return members;
}

/**
 * If a name occurs twice, `JSON.parse` takes the last value, so rows or a cursor in the first value
 * would be lost.
 */
function refuseRepeatedName(members: Iterable<{ readonly name: string }>, answer: Answer): void {
  const seenNames = new Set<string>();
  for (const { name } of members) {
    if (seenNames.has(name)) refuse(`more than one ${quoted(name, answer.rules)}`, answer);
    seenNames.add(name);
  }
}

interface Pagination {
  /** Name of the member; empty when the pagination stands at the top of the answer. */
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly nextCursor: string | null;
  /** Value of `page_size`; undefined when it is absent or null. */
  readonly pageSize: unknown;
}

function findPagination(answer: Answer): Pagination {
  const { configured, learned } = answer.rules;
  const known = configured.pagination ?? learned.pagination;
  const candidates = paginationCandidates(answer).filter(({ name }) => known === undefined || name === known);
  const [only, ...others] = candidates;
  if (only && others.length === 0) return pagination(only, answer);

  const wanted = known === undefined ? 'member' : known === '' ? 'top of the answer' : quoted(known, answer.rules);
  const problem = `${only ? 'more than one' : 'no'} ${wanted} with next_cursor`;
  return refuse(problem, answer, adviceFor('pagination', answer.rules));
}

interface PaginationCandidate extends Pick<Pagination, 'name' | 'value'> {
  /** Absent when the candidate is the answer itself. */
  readonly member?: CutMember;
}

/**
 * Lists the members that are objects with `next_cursor`, and also the answer itself, under the
 * empty name.
 */
function paginationCandidates({ members }: Answer): PaginationCandidate[] {
  const candidates: PaginationCandidate[] = [];
  const own: Record<string, unknown> = {};
  for (const member of members) {
    // An array is neither a cursor nor a size, but the member is not absent either.
    const value = member.elements ? [] : member.value;
    if (member.name === 'next_cursor' || member.name === 'page_size') own[member.name] = value;
    if (isObject(value) && Object.hasOwn(value, 'next_cursor')) candidates.push({ name: member.name, value, member });
  }
  if (Object.hasOwn(own, 'next_cursor') && !Array.isArray(own['next_cursor']))
    candidates.push({ name: '', value: own });
  return candidates;
}

function pagination({ name, value, member }: PaginationCandidate, answer: Answer): Pagination {
  const { path } = answer.rules;
  if (member) refuseRepeatedName(membersOf(member.text), answer);

  const { next_cursor: nextCursor, page_size: pageSize } = value;
  if (nextCursor !== null && (typeof nextCursor !== 'string' || nextCursor === '')) {
    throw new ContractError(path, 'next_cursor is neither null nor a non-empty string');
  }
  // The table would refuse such a cursor only after the rows were sent, and every run would send
  // them again.
  if (nextCursor !== null && Buffer.byteLength(nextCursor) > LONGEST_CURSOR)
    throw new ContractError(path, `next_cursor is longer than ${LONGEST_CURSOR} bytes`);
  return { name, value, nextCursor, pageSize: pageSize ?? undefined };
}

type Rows = CutMember & { readonly isSure: boolean };

/** Finds the row array. It is undefined on a page that is certainly empty. */
function findRows(answer: Answer, pagination: Pagination): Rows | undefined {
  const { configured, learned } = answer.rules;
  const known = configured.rows ?? learned.rows;
  // An API may leave out an empty member, but a name from the settings is binding.
  const isDue = configured.rows !== undefined || answer.members.some(({ name }) => name === known);
  return known !== undefined && isDue ? knownRows(known, answer, pagination) : searchRows(answer, pagination);
}

/**
 * Takes the array with the known name, and no other. If that array is empty although the answer
 * seems to have rows, the answer is refused:
 *
 *     known: items     {"items": [a], "included": [x], "page_size": 7}    row a
 *                      {"items": [],  "included": [x], "page_size": 0}    an empty page
 *                      {"items": [],  "assets": [a],   "page_size": 1}    refused: page_size counts a row
 *                      {"items": [],  "assets": [a]}                      refused, unless the name is configured: nothing confirms the end
 */
function knownRows(known: string, answer: Answer, { name: pagination, value, pageSize }: Pagination): Rows {
  const { members, rules } = answer;
  const advice = adviceFor('rows', rules);
  const shown = quoted(known, rules);
  const named = members.find(({ name }) => name === known);
  if (!named?.elements) return refuse(`no array ${shown}`, answer, advice);

  const rows = { ...named, isSure: true };
  if (rows.length > 0 || pageSize === 0) return rows;
  if (pageSize !== undefined) return refuse(`${shown} is empty, and page_size is not 0`, answer, advice);
  if (rules.configured.rows !== undefined) return rows;

  const others = othersOf(answer, pagination).filter(other => other !== named);
  if (holdsIdWithin(value) || others.some(holdsId))
    return refuse(`${shown} is empty, page_size is absent, and another member holds an id`, answer, advice);
  return rows;
}

/**
 * The rows are the only array that contains objects with an `id`. `page_size` decides only when
 * another member could be the rows as well:
 *
 *     {"items": [a, b], "page_size": 7}                      rows a, b: nothing else can be meant
 *     {"items": [a, b], "included": [x], "page_size": 2}     rows a, b
 *     {"items": [],     "included": [x], "page_size": 0}     refused: x may be a row
 *     {"items": {"a": {"id": "a"}}, "errors": []}            refused: a may be a row
 *     {"items": [],     "errors": [], "page_size": 0}        an empty page, whichever is the row array
 */
function searchRows(answer: Answer, { name: pagination, value, pageSize }: Pagination): Rows | undefined {
  const { rules } = answer;
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
  if (only && others.some(other => other !== only && isRival(other)))
    return refuse('an array of objects with an id, and another member that may be the rows', answer, advice);
  // An array whose length differs from `page_size` may be something else. Its name is not learned,
  // so the next page is searched again.
  if (only) return { ...only, isSure: pageSize === undefined };

  if (countsNone && !holdsIdWithin(value) && hasNoRoom(others, pageSize)) return undefined;
  return refuse('no array of objects with an id', answer, advice);
}

/** Members that do not belong to the pagination. */
function othersOf({ members }: Answer, pagination: string): CutMember[] {
  const own = pagination === '' ? ['next_cursor', 'page_size'] : [pagination];
  return members.filter(({ name }) => !own.includes(name));
}

/**
 * Whether this member may hold the page's rows, although another member is an array of objects with
 * an id. Such a member is an empty array, null, an empty object, or an object that holds rows by
 * id.
 */
function isRival({ elements, value }: CutMember): boolean {
  return elements ? elements.length === 0 : isVacant(value) || holdsIdWithin(value);
}

/**
 * Whether no member can contain rows. This is so if an array is empty and no other member may hold
 * rows, or if there is neither an array nor a null nor an object. Unless `page_size` is 0, plain
 * values in an array may be rows, and null may stand for rows.
 */
function hasNoRoom(others: readonly CutMember[], pageSize: unknown): boolean {
  const arrays = others.filter(({ elements }) => elements);
  if (arrays.length === 0) return others.every(({ value }) => typeof value !== 'object');
  const mayHoldRows = (other: CutMember) =>
    holdsId(other) || (pageSize !== 0 && (other.elements ? other.length > 0 : isVacant(other.value)));
  return arrays.some(({ length }) => length === 0) && !others.some(mayHoldRows);
}

/** Whether a value is null or an object without members. */
function isVacant(value: unknown): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

function hasId({ taken: [, id] }: CutElement): boolean {
  return id?.startsWith('"') === true && id !== '""';
}

/**
 * Whether the member contains, or may contain, an object with an id. An array may contain such an
 * object unless it has only plain values.
 */
function holdsId({ elements, length, value }: CutMember): boolean {
  if (elements) return length > elements.length || elements.some(({ text }) => /^[[{n]/.test(text));
  return (isObject(value) && Object.hasOwn(value, 'id')) || holdsIdWithin(value);
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(problem: string, { members, rules }: Answer, advice = ''): never {
  throw new ContractError(rules.path, `${problem}; members seen: ${seen(members)}`, { advice });
}

/** Returns advice about names that are unclear, or that contradict the answer. */
function adviceFor(kind: keyof MemberNames, { configured, learned }: PageRules): string {
  if (configured[kind] !== undefined) return `Correct the option ${kind}Member, or remove it.`;
  const settings = 'The options rowsMember and paginationMember give the names.';
  return learned[kind] === undefined
    ? settings
    : `If the API has renamed its members, "npx --no -- connectorctl resync <stream>" forgets the names found before. ${settings}`;
}

/**
 * Form of the names that are shown. Any other name may be data, for example an id or a token that
 * was echoed.
 */
const SHOWN_NAME = /^[A-Za-z_]{1,32}$/;

function quoted(name: string, { configured }: PageRules): string {
  const isShown = name === configured.rows || name === configured.pagination || SHOWN_NAME.test(name);
  return isShown ? JSON.stringify(name) : '(a name that is not shown)';
}

const MOST_NAMES = 8;

/**
 * Lists only names, because values may be a tenant's data. Names that are not shown are counted.
 */
function seen(members: readonly CutMember[]): string {
  const names = members.map(({ name }) => name).filter(name => SHOWN_NAME.test(name));
  const shown = names.slice(0, MOST_NAMES).map(name => JSON.stringify(name));
  const others = members.length - shown.length;
  return (
    [...shown, ...(others > 0 ? [`${others} ${shown.length > 0 ? 'more' : 'of other forms'}`] : [])].join(', ') ||
    'none'
  );
}
