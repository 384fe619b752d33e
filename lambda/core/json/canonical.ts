/**
 * The one form of a value, from which the hash of a row is made: no white space, members in the order of their names, each string as
 * `JSON.stringify` writes it, each number as it was sent. Members of one name stay in their order, because the last of them counts.
 *
 *     sent          {"b": 1.0,  "a": "\u00e9"}
 *     canonical     {"a":"é","b":1.0}
 *
 * It is made from the text, because a parsed value has lost digits and members. In the text each character stands for one byte of UTF-8.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, type Scanner } from './scanner.ts';

/** The walk over nested values is recursive, and the call stack is not ours to overflow. */
const MAX_DEPTH = 512;

export interface Canonical {
  readonly content: string;
  /** JSON text of the member that the content leaves out. The last of that name counts. */
  readonly excluded: string | undefined;
}

/** Steps over the element at hand. @throws RangeError when it is nested too deep; JsonError. Much that is not JSON passes, too */
export function canonicalOf(scanner: Scanner, excluded: string): Canonical {
  if (scanner.code !== OPEN_BRACE) return { content: canonicalValue(scanner, scanner.at, 0), excluded: undefined };

  const name = JSON.stringify(excluded);
  const members = sortedMembers(scanner, 1);
  const last = members.findLast(member => member.name === name);
  return {
    content: `{${textOf(members.filter(member => member.name !== name))}}`,
    excluded: last && utf8Of(last.text.slice(name.length + ':'.length)),
  };
}

interface Member {
  /** The name with its quotes. */
  readonly name: string;
  /** Name, colon and value. */
  readonly text: string;
}

/**
 * Steps over the value at hand.
 *
 * @param start place from which the text is part of the result: that of the value, or of the name before it
 * @param depth brackets around the value
 */
function canonicalValue(scanner: Scanner, start: number, depth: number): string {
  if (depth > MAX_DEPTH) throw new RangeError(`Nesting deeper than ${MAX_DEPTH}`);
  const { text, at, code } = scanner;
  if (code === OPEN_BRACE) return `${text.slice(start, at + 1)}${textOf(sortedMembers(scanner, depth + 1))}}`;

  if (code === OPEN_BRACKET) {
    const elements: string[] = [];
    for (let more = scanner.enter(CLOSE_BRACKET); more; more = scanner.more(CLOSE_BRACKET))
      elements.push(canonicalValue(scanner, scanner.at, depth + 1));
    return `${text.slice(start, at + 1)}${elements.join()}]`;
  }

  scanner.skip();
  if (!scanner.hasEscape(at, scanner.at)) return text.slice(start, scanner.at);
  return text.slice(start, at) + rewritten(scanner, text.slice(at, scanner.at));
}

/** Steps over the object at hand. @param depth brackets around its members */
function sortedMembers(scanner: Scanner, depth: number): Member[] {
  const members: Member[] = [];
  for (let more = scanner.enter(CLOSE_BRACE); more; more = scanner.more(CLOSE_BRACE))
    members.push(canonicalMember(scanner, depth));
  return members.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

function canonicalMember(scanner: Scanner, depth: number): Member {
  const start = scanner.at;
  const end = scanner.name();
  const name = scanner.text.slice(start, end);
  // Most members need no change, and one slice of the text is much faster than several.
  const isEscaped = scanner.hasEscape(start, end);
  if (!isEscaped && scanner.at === end + ':'.length) return { name, text: canonicalValue(scanner, start, depth) };

  const written = isEscaped ? rewritten(scanner, name) : name;
  return { name: written, text: `${written}:${canonicalValue(scanner, scanner.at, depth)}` };
}

function textOf(members: readonly Member[]): string {
  return members.map(({ text }) => text).join();
}

function rewritten(scanner: Scanner, text: string): string {
  return Buffer.from(JSON.stringify(scanner.parse(utf8Of(text)))).toString('latin1');
}

function utf8Of(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}
