/**
 * Finds where the values in a JSON text end, by strings and brackets alone. Whether a value is JSON is for `JSON.parse` to say:
 *
 *     [{"a":"]"},tru]     the elements are {"a":"]"} and tru
 */
import { JsonError } from '../errors.ts';
import * as ascii from './ascii.ts';

const WHITE_SPACE = /[ \t\r\n]*/y;
/** A number or a word, what is between values, or a bracket. */
const TOKEN = /[^ \t\r\n,"[\]{}]+|[ \t\r\n,]+|[[\]{}]/y;

export class Scanner {
  readonly text: string;
  /** The place in the text. */
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The character at hand; NaN at the end of the text. */
  get code(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Steps over white space. @returns the character that follows */
  next(): number {
    this.takes(WHITE_SPACE);
    return this.code;
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
    return !this.#takesCode(close);
  }

  /** Steps over the comma before another member or element, or over the end. @returns whether there is another one */
  more(close: number): boolean {
    const isMore = this.#takesCode(ascii.COMMA);
    if (!isMore && !this.#takesCode(close)) this.fail();
    this.next();
    return isMore;
  }

  /** Steps over the name at hand and its colon, up to the value. @returns the end of the name */
  name(): number {
    if (this.code !== ascii.QUOTE) this.fail();
    const end = this.string();
    if (!this.#takesCode(ascii.COLON)) this.fail();
    this.next();
    return end;
  }

  /** Steps over the value at hand, however deep it is nested. @returns its end */
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

  /** Steps over the string at hand. A regular expression would run out of stack where it has millions of escapes. @returns its end */
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

  /** Steps over a token. @returns whether it was at hand */
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
