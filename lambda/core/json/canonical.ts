/**
 * The one form of a value, from which the hash of a row is made: no white space, members in the order of their names, each string as
 * `JSON.stringify` writes it, each number as it was sent. Members of one name stay in their order, because the last of them counts.
 *
 *     sent          {"b": 1.0,  "a": "\u00e9"}
 *     normal        {"b":1.0,"a":"é"}
 *     canonical     {"a":"é","b":1.0}
 *
 * It is made from the text, because a parsed value has lost digits and members, and because V8 misreads some names that have escapes
 * (nodejs/node#63785). In the canonical text each character stands for one byte of UTF-8.
 */
import { JsonError } from '../errors.ts';
import * as ascii from './ascii.ts';
import { Scanner } from './scanner.ts';

/** The walk over nested values is recursive, and the call stack is not ours to overflow. */
const MAX_DEPTH = 512;

/**
 * Finds an element of which strings are not in their canonical form, or no strings at all: by a control character, or an escape that
 * `JSON.stringify` seldom writes. Backslashes before it escape each other.
 */
export const NOT_CANONICAL = /[^ -\uffff]|(?<!\\)(?:\\\\)*\\[^"\\bfnrt]/;

/** Puts strings in their canonical form, and leaves white space out. @param text one JSON value, its grammar checked already */
export function normalized(text: string): string {
  const scanner = new Scanner(text);
  const parts: string[] = [];
  while (scanner.at < text.length) {
    const start = scanner.at;
    if (scanner.takes(NOT_STRING)) parts.push(text.slice(start, scanner.at).replace(/[ \t\r\n]+/g, ''));
    else {
      const string = text.slice(start, scanner.string());
      parts.push(string.includes('\\') ? JSON.stringify(JSON.parse(string)) : string);
    }
  }
  return parts.join('');
}

const NOT_STRING = /[^"]+/y;

/**
 * The objects at one place of the rows, such as the `owner` of each row. Most of them have the same members in the same order, so the order
 * is worked out once and then only recognized:
 *
 *     {"id":1,"deleted":false}     names "id": "deleted":     order 1 0
 */
export class Place {
  /** The members of the last object, with quotes and colons. */
  readonly names: string[] = [];
  /** The places of their values. */
  readonly values: Place[] = [];
  /** Indexes of the members in the order of their names. Undefined after a name has changed. */
  order: readonly number[] | undefined;
  /** Indexes of the members that are taken out; -1 for those that are absent. */
  taken: readonly number[] = [];
  readonly #taken: readonly string[];

  /** @param taken names of members that are taken out. The first of them is left out of the order */
  constructor(taken: readonly string[] = []) {
    this.#taken = taken.map(name => `${latin1Of(JSON.stringify(name))}:`);
  }

  /** Works out the order, unless it is known. @param length how many members the last object has */
  sort(length: number): void {
    const { names } = this;
    if (this.order && names.length === length) return;
    names.length = length;
    this.taken = this.#taken.map(name => names.lastIndexOf(name));
    this.order = [...names.keys()]
      .filter(index => names[index] !== this.#taken[0])
      .sort((one, other) => (names[one]! < names[other]! ? -1 : names[one]! > names[other]! ? 1 : 0));
  }
}

const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

/** Made once, because an error takes longer than a row. */
const NOT_NORMAL = new JsonError('Not normal', 0);

/**
 * Steps over the element at hand.
 *
 * @returns its canonical text, and text of the value of each member that is taken out, of which the last of a name counts. Nothing when the
 *   element is not normal, or nested too deep. Its strings are not checked
 */
export function canonicalOf(scanner: Scanner, rows: Place) {
  const start = scanner.at;
  try {
    if (scanner.code !== ascii.OPEN_BRACE) return { content: valueAt(scanner, start, rows, 0), taken: [] };
    const members = membersAt(scanner, rows, 0);
    return {
      content: joined(members, rows),
      taken: rows.taken.map(index => utf8Of(members[index]?.slice(rows.names[index]!.length))),
    };
  } catch (error) {
    if (error !== NOT_NORMAL) throw error;
    scanner.at = start;
    return undefined;
  }
}

/** Steps over the value at hand. @param start the place of its name, if it has one @param depth brackets around it */
function valueAt(scanner: Scanner, start: number, place: Place, depth: number): string {
  const { text, code } = scanner;
  if (code === ascii.OPEN_BRACE) return text.slice(start, scanner.at) + joined(membersAt(scanner, place, depth), place);
  if (code !== ascii.OPEN_BRACKET) {
    if (code === ascii.QUOTE) scanner.string();
    else if (!scanner.takes(SCALAR)) throw NOT_NORMAL;
    return text.slice(start, scanner.at);
  }

  const opened = text.slice(start, scanner.at + 1);
  const elements: string[] = [];
  for (let more = enters(scanner, ascii.CLOSE_BRACKET, depth); more; more = goesOn(scanner, ascii.CLOSE_BRACKET))
    elements.push(valueAt(scanner, scanner.at, place, depth + 1));
  return `${opened}${elements.join()}]`;
}

/** Steps over the object at hand. @returns name and value of each member, in the order in which they come */
function membersAt(scanner: Scanner, place: Place, depth: number): string[] {
  const { text } = scanner;
  const { names, values } = place;
  const members: string[] = [];
  for (let more = enters(scanner, ascii.CLOSE_BRACE, depth); more; more = goesOn(scanner, ascii.CLOSE_BRACE)) {
    const start = scanner.at;
    const index = members.length;
    const known = names[index];
    if (known !== undefined && text.startsWith(known, start)) scanner.at += known.length;
    else {
      if (scanner.code !== ascii.QUOTE || text.charCodeAt(scanner.string()) !== ascii.COLON) throw NOT_NORMAL;
      names[index] = text.slice(start, ++scanner.at);
      place.order = undefined;
    }
    values[index] ??= new Place();
    members.push(valueAt(scanner, start, values[index]!, depth + 1));
  }
  if (members.length > 0) place.sort(members.length);
  return members;
}

/** Steps into the object or array at hand. @returns whether it holds anything */
function enters(scanner: Scanner, close: number, depth: number): boolean {
  const isEmpty = scanner.text.charCodeAt(++scanner.at) === close;
  if (isEmpty) scanner.at++;
  else if (depth === MAX_DEPTH) throw NOT_NORMAL;
  return !isEmpty;
}

/** Steps over the comma or the bracket behind a value. @returns whether another value follows */
function goesOn(scanner: Scanner, close: number): boolean {
  const code = scanner.text.charCodeAt(scanner.at++);
  if (code !== ascii.COMMA && code !== close) throw NOT_NORMAL;
  return code === ascii.COMMA;
}

/** The object with its members in order. */
function joined(members: readonly string[], { order }: Place): string {
  if (members.length === 0) return '{}';
  return `{${order!.map(index => members[index]).join()}}`;
}

/** Text in which each character stands for one byte of UTF-8. */
export function latin1Of(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function utf8Of(bytes: string | undefined): string | undefined {
  return bytes && /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}
