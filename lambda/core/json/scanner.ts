/**
 * Finds the ends of the values in a JSON text by looking only at strings and brackets. Whether a
 * value is valid JSON is left to `JSON.parse`:
 *
 *     [{"a":"]"},tru]     the elements are {"a":"]"} and tru
 */
import { JsonError } from '../errors.ts';
import * as ascii from './ascii.ts';

const WHITE_SPACE = /[ \t\r\n]*/y;
/** Matches a number or a word, the white space and commas between values, or a bracket. */
const TOKEN = /[^ \t\r\n,"[\]{}]+|[ \t\r\n,]+|[[\]{}]/y;

export class Scanner {
  readonly text: string;
  /** Current place in the text. */
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Current character; NaN at the end of the text. */
  get code(): number {
    return this.text.charCodeAt(this.at);
  }

  /**
   * Moves past white space.
   *
   * @returns the next character
   */
  next(): number {
    this.takes(WHITE_SPACE);
    return this.code;
  }

  /**
   * Moves into the current object or array:
   *
   *     for (let more = scanner.enter(CLOSE_BRACKET); more; more = scanner.more(CLOSE_BRACKET)) scanner.skip();
   *
   * @returns whether the object or array contains anything; the scanner then stands at the first
   * member or element
   */
  enter(close: number): boolean {
    this.at++;
    return !this.#takesCode(close);
  }

  /**
   * Moves past the comma before another member or element, or past the closing bracket.
   *
   * @returns whether another member or element follows
   */
  more(close: number): boolean {
    const isMore = this.#takesCode(ascii.COMMA);
    if (!isMore && !this.#takesCode(close)) this.fail();
    this.next();
    return isMore;
  }

  /**
   * Moves past the current name and its colon, to the value.
   *
   * @returns the end of the name
   */
  name(): number {
    if (this.code !== ascii.QUOTE) this.fail();
    const end = this.string();
    if (!this.#takesCode(ascii.COLON)) this.fail();
    this.next();
    return end;
  }

  /**
   * Moves past the current value, however deeply it is nested.
   *
   * @returns the end of the value
   */
  skip(): number {
    let depth = 0;
    do {
      const { code } = this;
      if (code === ascii.QUOTE) this.string();
      else if (!this.takes(TOKEN)) this.fail();
      if (code === ascii.OPEN_BRACE || code === ascii.OPEN_BRACKET) depth++;
      else if (code === ascii.CLOSE_BRACE || code === ascii.CLOSE_BRACKET) depth--;
    } while (depth > 0);
    return this.at;
  }

  /**
   * Moves past the current string. A regular expression would run out of stack if the string had
   * millions of escapes.
   *
   * @returns the end of the string
   */
  string(): number {
    const { text } = this;
    let at = this.at + 1;
    for (let code = text.charCodeAt(at); code !== ascii.QUOTE; code = text.charCodeAt(at)) {
      if (at >= text.length) this.fail();
      at += code === ascii.BACKSLASH ? 2 : 1;
    }
    this.at = at + 1;
    return this.at;
  }

  /**
   * Moves past a token.
   *
   * @returns whether the token stood at the current place
   */
  takes(token: RegExp): boolean {
    token.lastIndex = this.at;
    const isAtHand = token.test(this.text);
    if (isAtHand) this.at = token.lastIndex;
    return isAtHand;
  }

  fail(): never {
    throw new JsonError('Text that is not JSON', this.at);
  }

  #takesCode(code: number): boolean {
    const isAtHand = this.next() === code;
    if (isAtHand) this.at++;
    return isAtHand;
  }
}
