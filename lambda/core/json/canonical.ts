/**
 * Brings a value into its normal form, and then into its canonical form, from which the hash of a
 * row is computed. The normal form has no white space, each string as `JSON.stringify` writes it,
 * and each number as it was sent. In the canonical form the members are also sorted by name.
 * Members with the same name keep their order, because the last of them counts.
 *
 *     sent          {"b": 1.0,  "a": "\u00e9"}
 *     normal        {"b":1.0,"a":"é"}
 *     canonical     {"a":"é","b":1.0}
 *
 * Both are made from the text, because parsing loses digits and members, and because V8 misreads
 * some names that contain escapes (nodejs/node#63785). In the canonical text each character stands
 * for one byte of UTF-8.
 */
import { JsonError } from '../errors.ts';
import * as ascii from './ascii.ts';
import { Scanner } from './scanner.ts';

/**
 * Deepest nesting that is accepted. The functions below are recursive, so deeper values could
 * overflow the call stack.
 */
const MAX_DEPTH = 512;

/**
 * Matches an element with a string that is not in its canonical form, or that is not valid JSON. It
 * finds a control character, or an escape that `JSON.stringify` seldom writes. A pair of
 * backslashes before the escape is one escaped backslash.
 */
export const NOT_CANONICAL = /[^ -\uffff]|(?<!\\)(?:\\\\)*\\[^"\\bfnrt]/;

/**
 * Brings a value into its normal form.
 *
 * @param text one JSON value whose grammar was already checked
 */
export function normalForm(text: string): string {
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
 * Describes the objects at one place of the rows, for example the `owner` of each row. Most of them
 * have the same members in the same order, so the sorted order is computed once and then reused:
 *
 *     {"id":1,"deleted":false}     names "id": "deleted":     order 1 0
 */
export class ObjectLayout {
  /** Names of the members of the object that was read last, with quotes and colons. */
  readonly names: string[] = [];
  /** Layouts of the members' values, in the order of `names`. */
  readonly values: ObjectLayout[] = [];
  /** Indexes of the members, sorted by name. Undefined after a name has changed. */
  order: readonly number[] | undefined;
  /** Indexes of the members that are taken out; -1 for a member that is absent. */
  taken: readonly number[] = [];
  readonly #taken: readonly string[];

  /**
   * @param taken names of the members that are taken out; the member that is first in this list is
   * left out of the order
   */
  constructor(taken: readonly string[] = []) {
    this.#taken = taken.map(name => `${utf8AsLatin1(JSON.stringify(name))}:`);
  }

  /**
   * Computes the order, unless it is known already.
   *
   * @param length number of members of the object that was read last
   */
  sort(length: number): void {
    const { names } = this;
    if (this.order && names.length === length) return;
    names.length = length;
    this.taken = this.#taken.map(name => names.lastIndexOf(name));
    this.order = [...names.keys()]
      .filter(index => names[index] !== this.#taken[0])
      .sort((first, second) => (names[first]! < names[second]! ? -1 : names[first]! > names[second]! ? 1 : 0));
  }
}

const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

/** The error is created only once, because creating an error takes longer than reading a row. */
const NOT_NORMAL = new JsonError('Not normal', 0);

/**
 * Moves the scanner past the current element.
 *
 * @returns the canonical text of the element, and the text of the value of each member that is
 * taken out. If a name occurs several times, this is its last value. The result is undefined when
 * the element is not in its normal form, or is nested too deeply. The strings are not checked,
 * because the caller checks them with `NOT_CANONICAL`
 */
export function readCanonicalElement(scanner: Scanner, rows: ObjectLayout) {
  const start = scanner.at;
  try {
    if (scanner.code !== ascii.OPEN_BRACE) return { content: valueAt(scanner, start, rows, 0), taken: [] };
    const members = membersAt(scanner, rows, 0);
    return {
      content: joined(members, rows),
      taken: rows.taken.map(index => utf8FromLatin1(members[index]?.slice(rows.names[index]!.length))),
    };
  } catch (error) {
    if (error !== NOT_NORMAL) throw error;
    scanner.at = start;
    return undefined;
  }
}

/**
 * Moves the scanner past the current value.
 *
 * @param start place of the value's name, or of the value itself if it has no name
 * @param depth number of brackets around the value
 * @returns the text from `start` to the end of the value, with the members of its objects sorted
 */
function valueAt(scanner: Scanner, start: number, layout: ObjectLayout, depth: number): string {
  const { text, code } = scanner;
  if (code === ascii.OPEN_BRACE)
    return text.slice(start, scanner.at) + joined(membersAt(scanner, layout, depth), layout);
  if (code !== ascii.OPEN_BRACKET) {
    if (code === ascii.QUOTE) scanner.string();
    else if (!scanner.takes(SCALAR)) throw NOT_NORMAL;
    return text.slice(start, scanner.at);
  }

  const opened = text.slice(start, scanner.at + 1);
  const elements: string[] = [];
  for (let more = enters(scanner, ascii.CLOSE_BRACKET, depth); more; more = goesOn(scanner, ascii.CLOSE_BRACKET))
    elements.push(valueAt(scanner, scanner.at, layout, depth + 1));
  return `${opened}${elements.join()}]`;
}

/**
 * Moves the scanner past the current object.
 *
 * @returns name and value of each member, in the order of the text
 */
function membersAt(scanner: Scanner, layout: ObjectLayout, depth: number): string[] {
  const { text } = scanner;
  const { names, values } = layout;
  const members: string[] = [];
  for (let more = enters(scanner, ascii.CLOSE_BRACE, depth); more; more = goesOn(scanner, ascii.CLOSE_BRACE)) {
    const start = scanner.at;
    const index = members.length;
    const known = names[index];
    if (known !== undefined && text.startsWith(known, start)) scanner.at += known.length;
    else {
      if (scanner.code !== ascii.QUOTE || text.charCodeAt(scanner.string()) !== ascii.COLON) throw NOT_NORMAL;
      names[index] = text.slice(start, ++scanner.at);
      layout.order = undefined;
    }
    values[index] ??= new ObjectLayout();
    members.push(valueAt(scanner, start, values[index]!, depth + 1));
  }
  if (members.length > 0) layout.sort(members.length);
  return members;
}

/**
 * Moves the scanner into the current object or array.
 *
 * @returns whether the object or array contains anything
 */
function enters(scanner: Scanner, close: number, depth: number): boolean {
  const isEmpty = scanner.text.charCodeAt(++scanner.at) === close;
  if (isEmpty) scanner.at++;
  else if (depth === MAX_DEPTH) throw NOT_NORMAL;
  return !isEmpty;
}

/**
 * Moves the scanner past the comma or the bracket after a value.
 *
 * @returns whether another value follows
 */
function goesOn(scanner: Scanner, close: number): boolean {
  const code = scanner.text.charCodeAt(scanner.at++);
  if (code !== ascii.COMMA && code !== close) throw NOT_NORMAL;
  return code === ascii.COMMA;
}

/** Writes the object with its members in the sorted order. */
function joined(members: readonly string[], { order }: ObjectLayout): string {
  if (members.length === 0) return '{}';
  return `{${order!.map(index => members[index]).join()}}`;
}

/** Encodes text as UTF-8, and reads each byte as one character of Latin-1. */
export function utf8AsLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function utf8FromLatin1(bytes: string | undefined): string | undefined {
  return bytes && /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}
