/**
 * Cuts a list answer into its parts, in one pass.
 *
 * `JSON.parse` then `JSON.stringify` would change rows: integers beyond 2^53, `1.0`, `1e400`, `-0`, members of one name. So a row stays the
 * slice of text that the API sent. A scanner finds the slice, and `JSON.parse` checks that it is JSON (RFC 8259).
 */
import { isUtf8 } from 'node:buffer';
import { JsonError } from '../errors.ts';
import { canonicalName, canonicalOf, parsed } from './canonical.ts';
import { membersOf } from './members.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, Scanner } from './scanner.ts';

/** An element of an array at the top of the answer. */
export interface CutElement {
  /** The element as it was sent. Replacement characters stand for bytes that are not UTF-8. */
  readonly text: string;
  /** Present when they are not UTF-8. */
  readonly bytes: Uint8Array | undefined;
  readonly isObject: boolean;
  /** Why it cannot be an event. */
  readonly fault: 'not-utf-8' | 'too-deep' | undefined;
  /** Undefined when the element is nested too deep. */
  readonly canonical: string | undefined;
  /** JSON text of the member that the canonical text leaves out. */
  readonly excluded: string | undefined;
  /** JSON text of the wanted members, undefined for those that are absent. Of members of one name the last counts. */
  readonly wanted: readonly (string | undefined)[];
}

/** A member of the answer's top object. */
export interface CutMember {
  readonly name: string;
  /** Present when the value is an array: its first `mostElements` elements. */
  readonly elements?: readonly CutElement[];
  /** How many elements the array has; 0 for any other value. */
  readonly length: number;
  /** The value, unless it is an array. */
  readonly value?: unknown;
  /** The same as it was sent. */
  readonly text: string;
}

export interface CutOptions {
  /** Members of each element whose values are taken out. */
  readonly wanted: readonly string[];
  /** The member of each element that its canonical text leaves out. */
  readonly excluded: string;
}

/**
 * The members of an answer in their order. Each is cut when it is asked for, so whoever asks may stop at a bound of its own.
 *
 * @param mostElements elements of an array that are kept. Those beyond are checked and counted, because an answer can hold millions
 * @throws JsonError when the text is not one JSON object, or not UTF-8 outside the elements
 */
export function* cutBody(
  body: Uint8Array,
  { wanted, excluded }: CutOptions,
  mostElements = Number.POSITIVE_INFINITY,
): Generator<CutMember, void, void> {
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Each byte becomes one character, so a place in the text is a place among the bytes.
  const scanner = new Scanner(source.toString('latin1'));
  const taken = [excluded, ...wanted].map(canonicalName);
  if (scanner.next() !== OPEN_BRACE) scanner.fail();

  for (let more = scanner.enter(CLOSE_BRACE); more; more = scanner.more(CLOSE_BRACE)) {
    const { value: name } = readOutside(source, scanner.at, scanner.name());
    if (scanner.code !== OPEN_BRACKET) {
      yield { name: name as string, length: 0, ...readOutside(source, scanner.at, scanner.skip()) };
      continue;
    }

    const elements: CutElement[] = [];
    let length = 0;
    for (let more = scanner.enter(CLOSE_BRACKET); more; more = scanner.more(CLOSE_BRACKET)) {
      const element = readElement(source, scanner, taken);
      if (length++ < mostElements) elements.push(element);
    }
    yield { name: name as string, length, elements, text: '' };
  }
  if (!Number.isNaN(scanner.next())) scanner.fail();
}

function readElement(source: Buffer, scanner: Scanner, taken: readonly string[]): CutElement {
  const start = scanner.at;
  const canonical = canonicalUnlessDeep(scanner, taken);
  const { text, bytes } = read(source, start, scanner.at);
  const isObject = text.startsWith('{');
  const [excluded, ...wanted] = canonical?.values ?? (isObject ? valuesOf(text, taken) : []);
  return {
    text,
    bytes,
    isObject,
    fault: bytes ? 'not-utf-8' : canonical ? undefined : 'too-deep',
    canonical: canonical?.content,
    excluded,
    wanted,
  };
}

/** Steps over the element at hand. @returns undefined when it is nested too deep */
function canonicalUnlessDeep(scanner: Scanner, taken: readonly string[]) {
  const start = scanner.at;
  try {
    return canonicalOf(scanner, taken);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    scanner.at = start;
    scanner.skip();
    return undefined;
  }
}

function valuesOf(text: string, taken: readonly string[]): (string | undefined)[] {
  const members = membersOf(text);
  return taken.map(name => members.findLast(member => canonicalName(member.name) === name)?.value);
}

function readOutside(source: Buffer, start: number, end: number) {
  const { bytes, ...rest } = read(source, start, end);
  if (bytes) throw new JsonError('Bytes that are not UTF-8', start);
  return rest;
}

function read(source: Buffer, start: number, end: number) {
  const bytes = source.subarray(start, end);
  const text = bytes.toString();
  return { text, bytes: isUtf8(bytes) ? undefined : bytes, value: parsed(text, start) };
}
