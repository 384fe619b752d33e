/**
 * Finds where the values in a JSON text end, by strings and brackets alone. Whether a value is JSON is for `JSON.parse` to say:
 *
 *     [{"a":"]"},tru]     the elements are {"a":"]"} and tru
 */
import { JsonError } from '../errors.ts';

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

export class Scanner {
  readonly text: string;
  /** The place in the text. */
  at = 0;
  /** Place of the next backslash. */
  #escape = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** The character at hand; NaN at the end of the text. */
  get code(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Steps over white space. @returns the character that follows */
  next(): number {
    let { code } = this;
    while (code === SPACE || code === 0x0a || code === 0x0d || code === 0x09) {
      this.at++;
      code = this.code;
    }
    return code;
  }

  /**
   * Steps into the object or array at hand:
   *
   *     for (let more = scanner.enter(CLOSE_BRACKET); more; more = scanner.more(CLOSE_BRACKET)) scanner.skip();
   *
   * @returns whether it holds anything, which is then at hand
   */
  enter(close: number): boolean {
    this.at++;
    return !this.#take(close);
  }

  /** Steps over the comma before another member or element, or over the end. @returns whether there is another one */
  more(close: number): boolean {
    if (this.#take(COMMA)) {
      this.next();
      return true;
    }
    if (!this.#take(close)) this.fail();
    return false;
  }

  /** Steps over the name at hand and its colon, up to the value. @returns the end of the name */
  name(): number {
    if (this.code !== QUOTE) this.fail();
    const end = this.#stringEnd(this.at);
    this.at = end;
    if (!this.#take(COLON)) this.fail();
    this.next();
    return end;
  }

  /** Steps over the value at hand, however deep it is nested. */
  skip(): void {
    const { text } = this;
    let { at } = this;
    let depth = 0;
    do {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#stringEnd(at);
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        at++;
        depth++;
      } else if (depth === 0) at = scalarEnd(text, at);
      else if (at === text.length) this.fail();
      else {
        at++;
        if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
      }
    } while (depth > 0);
    this.at = at;
  }

  /** Whether there is a backslash between two places. Whoever asks goes forward, so the text is searched once. */
  hasEscape(start: number, end: number): boolean {
    if (this.#escape < start) {
      const found = this.text.indexOf('\\', start);
      this.#escape = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#escape < end;
  }

  /** @throws JsonError, because the error of `JSON.parse` quotes the text */
  parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      return this.fail();
    }
  }

  fail(): never {
    throw new JsonError('Text that is not JSON', this.at);
  }

  #take(code: number): boolean {
    if (this.next() !== code) return false;
    this.at++;
    return true;
  }

  #stringEnd(start: number): number {
    const { text } = this;
    for (let at = text.indexOf('"', start + 1); at > 0; at = text.indexOf('"', at + 1)) {
      let before = at - 1;
      while (text.charCodeAt(before) === BACKSLASH) before--;
      // An even number of backslashes escape each other, and not the quote.
      if ((at - before) % 2 === 1) return at + 1;
    }
    return this.fail();
  }
}

/** The end of a number, of `true`, `false` or `null`, or of anything else that is neither a string nor in brackets. */
function scalarEnd(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code > SPACE; code = text.charCodeAt(at)) {
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) break;
    at++;
  }
  return at;
}
