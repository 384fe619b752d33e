/**
 * Cuts a list answer into its parts, in one pass.
 *
 * `JSON.parse` then `JSON.stringify` would change rows: integers beyond 2^53, `1.0`, `1e400`, `-0`, members of one name. So a row stays the
 * slice of text that the API sent. `JSON.parse` checks each slice, and reads the few members that are asked for.
 */
import { isUtf8 } from 'node:buffer';
import { JsonError } from '../errors.ts';
import { type Canonical, canonicalOf } from './canonical.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, Scanner } from './scanner.ts';

/** An element of an array at the top of the answer. */
export interface CutElement {
  /** The element as it was sent. Replacement characters stand for bytes that are not UTF-8. */
  readonly text: string;
  /** Present when they are not UTF-8. */
  readonly bytes: Uint8Array | undefined;
  readonly isObject: boolean;
  /** Why it has no canonical text. Such an element is known by its text, or its bytes, alone. */
  readonly violation: 'not-utf-8' | 'too-deep' | undefined;
  readonly canonical: Canonical | undefined;
  /** Values of the wanted members, undefined for those that are absent. Of members of one name the last counts. */
  readonly wanted: readonly unknown[];
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
  /** Members of each element whose values are read. */
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
  options: CutOptions,
  mostElements = Number.POSITIVE_INFINITY,
): Generator<CutMember, void, void> {
  const cutter = new Cutter(body);
  const { scanner } = cutter;
  if (scanner.next() !== OPEN_BRACE) scanner.fail();

  for (let more = scanner.enter(CLOSE_BRACE); more; more = scanner.more(CLOSE_BRACE)) {
    const name = cutter.name();
    if (scanner.code !== OPEN_BRACKET) {
      yield { name, length: 0, ...cutter.value() };
      continue;
    }

    const elements: CutElement[] = [];
    let length = 0;
    for (let more = scanner.enter(CLOSE_BRACKET); more; more = scanner.more(CLOSE_BRACKET)) {
      const element = cutter.element(options);
      if (length++ < mostElements) elements.push(element);
    }
    yield { name, length, elements, text: '' };
  }

  scanner.next();
  if (scanner.at < scanner.text.length) scanner.fail();
}

class Cutter {
  readonly scanner: Scanner;
  readonly #source: Buffer;
  readonly #isUtf8: boolean;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#source = Buffer.from(buffer, byteOffset, byteLength);
    this.#isUtf8 = isUtf8(this.#source);
    // Each byte becomes one character, so a place in the text is a place among the bytes.
    this.scanner = new Scanner(this.#source.toString('latin1'));
  }

  /** Reads the name at hand, up to its value. */
  name(): string {
    return this.#outside(this.scanner.at, this.scanner.name()).value as string;
  }

  /** Reads the value at hand, which is in no array. */
  value() {
    const start = this.scanner.at;
    this.scanner.skip();
    return this.#outside(start, this.scanner.at);
  }

  /** Reads the element at hand. */
  element({ wanted, excluded }: CutOptions): CutElement {
    const start = this.scanner.at;
    const canonical = this.#canonical(excluded);
    const { text, bytes, value } = this.#read(start, this.scanner.at);
    const isObject = text.startsWith('{');
    const members = value as Record<string, unknown>;
    return {
      text,
      bytes,
      isObject,
      violation: bytes ? 'not-utf-8' : canonical ? undefined : 'too-deep',
      canonical,
      // `__proto__` and `constructor` are names like any other.
      wanted: wanted.map(name => (isObject && Object.hasOwn(members, name) ? members[name] : undefined)),
    };
  }

  /** Steps over the element at hand. @returns undefined when it is nested too deep */
  #canonical(excluded: string): Canonical | undefined {
    const { scanner } = this;
    const start = scanner.at;
    try {
      return canonicalOf(scanner, excluded);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      scanner.at = start;
      scanner.skip();
      return undefined;
    }
  }

  #outside(start: number, end: number) {
    const { text, bytes, value } = this.#read(start, end);
    if (bytes) throw new JsonError('Bytes that are not UTF-8', start);
    return { text, value };
  }

  #read(start: number, end: number) {
    const bytes = this.#source.subarray(start, end);
    const text = bytes.toString();
    return { text, bytes: this.#isUtf8 || isUtf8(bytes) ? undefined : bytes, value: this.scanner.parse(text) };
  }
}
