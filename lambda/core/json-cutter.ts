/**
 * Cuts a list answer's text into its parts without making values of them, in one pass.
 *
 * `JSON.parse` then `JSON.stringify` would change rows: integers beyond 2^53, `1.0`, `1e400`, `-0`, members named
 * `__proto__`. So a row stays the slice of text that the API sent. The same pass checks the grammar (RFC 8259) and
 * builds each row's canonical text, in which members are sorted and white space is gone, for its digest.
 */
import { JsonError } from './errors.ts';

/** An element of an array at the top of the answer. */
export interface CutElement {
  readonly start: number;
  readonly end: number;
  readonly isObject: boolean;
  /** The element with members sorted and white space gone; the excluded member is left out. */
  readonly canonical: string;
  /** Raw JSON text of the wanted members, in the order they were asked for; the last occurrence counts. */
  readonly wanted: readonly (string | undefined)[];
}

/** A member of the answer's top object. */
export interface CutMember {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Present when the member is an array. */
  readonly elements?: readonly CutElement[];
}

export interface CutOptions {
  /** Members of each element whose raw text is returned. */
  readonly wanted: readonly string[];
  /** Member left out of an element's canonical text. */
  readonly excluded: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const MINUS = 0x2d;
/** Deeper nesting is refused: the walk over it is recursive, and the call stack is not ours to overflow. */
const MAX_DEPTH = 512;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** @throws JsonError when the text is not one JSON object. */
export function cutBody(text: string, options: CutOptions): CutMember[] {
  return new JsonCutter(text, options).body();
}

class JsonCutter {
  readonly #text: string;
  readonly #wanted: ReadonlyMap<string, number>;
  readonly #wantedCount: number;
  readonly #excluded: string;
  #at = 0;

  constructor(text: string, options: CutOptions) {
    this.#text = text;
    this.#wanted = new Map(options.wanted.map((name, index) => [JSON.stringify(name), index]));
    this.#wantedCount = options.wanted.length;
    this.#excluded = JSON.stringify(options.excluded);
  }

  body(): CutMember[] {
    this.#space();
    if (this.#text.charCodeAt(this.#at) !== OPEN_BRACE) this.#fail('No JSON object');
    const members: CutMember[] = [];
    this.#object(key => members.push(this.#member(key)));
    this.#space();
    if (this.#at !== this.#text.length) this.#fail('Text after the end of the JSON object');
    return members;
  }

  #member(key: string): CutMember {
    const name: string = JSON.parse(key);
    const start = this.#at;
    if (this.#text.charCodeAt(start) !== OPEN_BRACKET) {
      this.#value(1);
      return { name, start, end: this.#at };
    }
    const elements: CutElement[] = [];
    this.#array(() => elements.push(this.#element()));
    return { name, start, end: this.#at, elements };
  }

  #element(): CutElement {
    const start = this.#at;
    const wanted: (string | undefined)[] = new Array(this.#wantedCount).fill(undefined);
    if (this.#text.charCodeAt(start) !== OPEN_BRACE) {
      const canonical = this.#value(2);
      return { start, end: this.#at, isObject: false, canonical, wanted };
    }
    const keys: string[] = [];
    const values: string[] = [];
    this.#object(key => {
      const valueStart = this.#at;
      const value = this.#value(3);
      const index = this.#wanted.get(key);
      if (index !== undefined) wanted[index] = this.#text.slice(valueStart, this.#at);
      if (key === this.#excluded) return;
      keys.push(key);
      values.push(value);
    });
    return { start, end: this.#at, isObject: true, canonical: joinSorted(keys, values), wanted };
  }

  /** Reads a value and returns its canonical text. */
  #value(depth: number): string {
    if (depth > MAX_DEPTH) this.#fail(`Nesting deeper than ${MAX_DEPTH}`);
    const start = this.#at;
    const code = this.#text.charCodeAt(start);
    if (code === QUOTE) return this.#string();
    if (code === OPEN_BRACE) {
      const keys: string[] = [];
      const values: string[] = [];
      this.#object(key => {
        keys.push(key);
        values.push(this.#value(depth + 1));
      });
      return joinSorted(keys, values);
    }
    if (code === OPEN_BRACKET) {
      const values: string[] = [];
      this.#array(() => values.push(this.#value(depth + 1)));
      return `[${values.join(',')}]`;
    }
    if (code === MINUS || (code >= 0x30 && code <= 0x39)) return this.#number();
    return this.#literal();
  }

  #object(member: (key: string) => void): void {
    this.#at++;
    this.#space();
    if (this.#take(CLOSE_BRACE)) return;
    do {
      this.#space();
      if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#fail('A member without a name');
      const key = this.#string();
      this.#space();
      if (!this.#take(COLON)) this.#fail('A member without a colon');
      this.#space();
      member(key);
      this.#space();
    } while (this.#take(COMMA));
    if (!this.#take(CLOSE_BRACE)) this.#fail('An object without its end');
  }

  #array(element: () => void): void {
    this.#at++;
    this.#space();
    if (this.#take(CLOSE_BRACKET)) return;
    do {
      this.#space();
      element();
      this.#space();
    } while (this.#take(COMMA));
    if (!this.#take(CLOSE_BRACKET)) this.#fail('An array without its end');
  }

  /** Reads a string and returns it with its quotes, escapes in their one canonical form. */
  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let escaped = false;
    let at = start + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        escaped = true;
        ESCAPE.lastIndex = at;
        if (!ESCAPE.test(text)) this.#fail('A wrong escape');
        at = ESCAPE.lastIndex;
      } else if (code >= 0x20) at++;
      else this.#fail(code < 0x20 ? 'A control character in a string' : 'A string without its end');
    }
    this.#at = at + 1;
    const raw = text.slice(start, this.#at);
    return escaped ? JSON.stringify(JSON.parse(raw)) : raw;
  }

  #number(): string {
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#text);
    if (!found) this.#fail('A wrong number');
    this.#at += found[0].length;
    return found[0];
  }

  #literal(): string {
    for (const literal of ['true', 'false', 'null']) {
      if (!this.#text.startsWith(literal, this.#at)) continue;
      this.#at += literal.length;
      return literal;
    }
    return this.#fail('Something that is not JSON');
  }

  #take(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) this.#at++;
      else return;
    }
  }

  #fail(what: string): never {
    throw new JsonError(what, this.#at);
  }
}

/** Objects this small are sorted by insertion, which beats a sort with a callback. */
const SMALL = 32;

/** `["b", "a"]`, `["1", "2"]` → `{"a":2,"b":1}`. Members of one name keep their order. */
function joinSorted(keys: string[], values: string[]): string {
  if (keys.length > SMALL) return joinSortedLarge(keys, values);
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!;
    const value = values[i]!;
    let at = i;
    for (; at > 0 && keys[at - 1]! > key; at--) {
      keys[at] = keys[at - 1]!;
      values[at] = values[at - 1]!;
    }
    keys[at] = key;
    values[at] = value;
  }
  let joined = '{';
  for (let i = 0; i < keys.length; i++) joined += `${i === 0 ? '' : ','}${keys[i]}:${values[i]}`;
  return `${joined}}`;
}

function joinSortedLarge(keys: readonly string[], values: readonly string[]): string {
  const order = keys
    .map((_, index) => index)
    .sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : a - b));
  return `{${order.map(index => `${keys[index]}:${values[index]}`).join(',')}}`;
}
