/**
 * Cuts a list answer into its parts, in one pass.
 *
 * `JSON.parse` followed by `JSON.stringify` would change rows, for example integers above 2^53,
 * `1.0`, `1e400`, `-0`, and members with the same name. Therefore a row stays the slice of text
 * that the API sent.
 */
import { isUtf8 } from 'node:buffer';
import { JsonError } from '../errors.ts';
import * as ascii from './ascii.ts';
import { NOT_CANONICAL, normalForm, ObjectLayout, readCanonicalElement, utf8AsLatin1 } from './canonical.ts';
import { membersOf } from './members.ts';
import { Scanner } from './scanner.ts';

/** An element of an array at the top of the answer. */
export interface CutElement {
  /**
   * Text of the element as it was sent. Replacement characters stand for bytes that are not UTF-8.
   */
  readonly text: string;
  /** Bytes of the element. Present only when they are not UTF-8. */
  readonly bytes: Uint8Array | undefined;
  readonly isObject: boolean;
  /**
   * Reason why the element has no canonical text. Such an element is identified by its text or its
   * bytes alone.
   */
  readonly violation: 'not-utf-8' | 'too-deep' | undefined;
  /**
   * Canonical text without the member that is listed first among those to take out. Therefore a new
   * `stream_position` does not change the hash of a row. Undefined if there is a violation.
   */
  readonly content: string | undefined;
  /**
   * JSON text of each member that is taken out; undefined for an absent member. If a name occurs
   * several times, the last member counts.
   */
  readonly taken: readonly (string | undefined)[];
}

/** A member of the answer's top object. */
export interface CutMember {
  readonly name: string;
  /** First `mostElements` elements. Present when the value is an array. */
  readonly elements?: readonly CutElement[];
  /** Number of elements of the array; 0 for any other value. */
  readonly length: number;
  /** Parsed value, unless it is an array. */
  readonly value?: unknown;
  /** Text of the value as it was sent; empty for an array. */
  readonly text: string;
}

/**
 * Yields the members of an answer in their order. Each member is cut only when it is requested, so
 * the caller may stop at a limit of its own.
 *
 * @param taken names of the members that are taken out of each element; the canonical text leaves
 * out the member that is first in this list
 * @param mostElements number of elements of an array that are kept; further elements are only
 * checked and counted, because an answer can contain millions
 * @throws JsonError when the text is not one JSON object, or not UTF-8 outside the elements
 */
export function* cutBody(
  body: Uint8Array,
  taken: readonly string[],
  mostElements = Number.POSITIVE_INFINITY,
): Generator<CutMember, void, void> {
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Each byte becomes one character, so a place in the text is also a place in the bytes.
  const scanner = new Scanner(source.toString('latin1'));
  const rows = new ObjectLayout(taken);
  if (scanner.next() !== ascii.OPEN_BRACE) scanner.fail();

  for (let more = scanner.enter(ascii.CLOSE_BRACE); more; more = scanner.more(ascii.CLOSE_BRACE)) {
    const name = readOutside(source, scanner.at, scanner.name()).value as string;
    if (scanner.code !== ascii.OPEN_BRACKET) {
      yield { name, length: 0, ...readOutside(source, scanner.at, scanner.skip()) };
      continue;
    }

    const elements: CutElement[] = [];
    let length = 0;
    for (let more = scanner.enter(ascii.CLOSE_BRACKET); more; more = scanner.more(ascii.CLOSE_BRACKET)) {
      const element = readElement(source, scanner, rows, taken);
      if (length++ < mostElements) elements.push(element);
    }
    yield { name, length, elements, text: '' };
  }
  if (!Number.isNaN(scanner.next())) scanner.fail();
}

function readOutside(source: Buffer, start: number, end: number): { readonly text: string; readonly value: unknown } {
  const bytes = source.subarray(start, end);
  const text = bytes.toString();
  const value = parsed(text, start);
  if (!isUtf8(bytes)) throw new JsonError('Bytes that are not UTF-8', start);
  return { text, value };
}

/**
 * Reads the current element. Most elements are in their normal form already, and need no further
 * check.
 */
function readElement(source: Buffer, scanner: Scanner, rows: ObjectLayout, taken: readonly string[]): CutElement {
  const start = scanner.at;
  const normal = readCanonicalElement(scanner, rows);
  const bytes = source.subarray(start, normal ? scanner.at : scanner.skip());
  const text = bytes.toString();
  const isNormal = normal && !NOT_CANONICAL.test(text);
  if (!isNormal) parsed(text, start);

  const isReadable = isUtf8(bytes);
  const other = () => readCanonicalElement(new Scanner(utf8AsLatin1(normalForm(text))), rows);
  const canonical = isReadable ? (isNormal ? normal : other()) : undefined;
  const isObject = text.startsWith('{');
  return {
    text,
    bytes: isReadable ? undefined : bytes,
    isObject,
    violation: isReadable ? (canonical ? undefined : 'too-deep') : 'not-utf-8',
    content: canonical?.content,
    taken: canonical?.taken ?? (isObject ? valuesIn(text, taken) : []),
  };
}

function valuesIn(text: string, names: readonly string[]): (string | undefined)[] {
  const members = membersOf(text);
  return names.map(wanted => members.findLast(({ name }) => name === wanted)?.value);
}

/** @throws JsonError instead of the error of `JSON.parse`, because the latter quotes the text */
function parsed(text: string, at: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonError('Text that is not JSON', at);
  }
}
