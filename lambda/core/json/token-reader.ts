/**
 * Reads the tokens of JSON (RFC 8259), checks their grammar and writes each in its canonical form: no white space, and
 * all but printable ASCII as `\uXXXX`. Numbers keep every digit.
 *
 * Works on the bytes as they came, without a string for each token: that is where its speed comes from. Beyond the end of
 * a text that breaks off a byte reads as undefined, which no comparison takes for JSON.
 */
import { JsonError } from '../errors.ts';
import {
  BACKSLASH,
  type Bytes,
  CLOSE_BRACE,
  COLON,
  COMMA,
  DELETE,
  escapeAt,
  escapedUnit,
  isPlain,
  isSpace,
  LONGEST_FORM,
  MINUS,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  POINT,
  QUOTE,
  viewOf,
  WORD,
  wideAt,
  writeCanonical,
  ZERO,
} from './codes.ts';

/** 1 for each byte that stands for itself in a string: one look-up is faster than four comparisons. */
const PLAIN = new Uint8Array(0x100).fill(1, 0x20, DELETE);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

/** From a bracket or brace to the one that closes it. */
const TO_CLOSE = CLOSE_BRACE - OPEN_BRACE;

export class TokenReader {
  readonly source: Buffer;
  /** Place in the source. */
  at = 0;
  /** What has been written; always has room for what is left of the source. */
  written: Buffer;
  /** End of what has been written; may be set back by whoever does not need it. */
  end = 0;
  /** Where a byte in a string was last found not to be UTF-8; -1 when there was none. Whoever deals with it sets it back. */
  malformed = -1;

  readonly #from: DataView;
  #to: DataView;

  constructor(source: Uint8Array) {
    this.source = Buffer.isBuffer(source) ? source : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    this.written = Buffer.allocUnsafeSlow(source.byteLength + LONGEST_FORM);
    this.#from = viewOf(this.source);
    this.#to = viewOf(this.written);
  }

  /** What has been written since `from`. */
  canonical(from: number): string {
    return this.written.toString('latin1', from, this.end);
  }

  /** The byte at hand. */
  get code(): number {
    return this.source[this.at]!;
  }

  /** Steps over white space. @returns the byte that comes. */
  next(): number {
    const { source } = this;
    let code = source[this.at]!;
    while (code <= 0x20 && isSpace(code)) code = source[++this.at]!;
    return code;
  }

  /** Steps over white space and `code`, if that is what comes. */
  take(code: number): boolean {
    if (this.next() !== code) return false;
    this.at++;
    return true;
  }

  /** Writes the byte at hand as it is. */
  copy(): void {
    this.written[this.end++] = this.source[this.at++]!;
  }

  /** Reads exactly these bytes, or nothing. */
  copyIf({ length, words }: Bytes): boolean {
    const { at, end } = this;
    const last = words.length - 1;
    if (last < 0 || at + length > this.source.length) return false;
    for (let i = 0; i <= last; i++) {
      const offset = i < last ? i * WORD : length - WORD;
      const word = words[i]!;
      if (this.#from.getInt32(at + offset, true) !== word) return false;
      this.#to.setInt32(end + offset, word, true);
    }
    this.at = at + length;
    this.end = end + length;
    return true;
  }

  /** Reads the value at hand, which is neither an object nor an array. */
  scalar(): void {
    const { code } = this;
    if (code === QUOTE) this.string();
    else if (code <= NINE) this.number();
    else this.literal();
  }

  /**
   * Reads the object or array at hand. Nothing of it is written.
   *
   * @param read reads the value of each member, or each element, that is then at hand. It is given the place of the member's name
   */
  parts(read: (from: number, to: number) => void): void {
    const isObject = this.code === OPEN_BRACE;
    const close = this.code + TO_CLOSE;
    this.at++;
    if (this.take(close)) return;
    do {
      this.next();
      const from = this.at;
      const to = isObject ? this.#name() : from;
      read(from, to);
    } while (this.take(COMMA));
    if (!this.take(close)) this.fail(`An ${isObject ? 'object' : 'array'} without its end`);
  }

  /**
   * Steps over the value at hand, however deep it is nested, and checks its grammar. Of what has been written nothing is left: the brackets
   * that are to come take its place.
   */
  skip(): void {
    this.end = 0;
    for (let { code } = this; ; code = this.code) {
      if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        const close = code + TO_CLOSE;
        this.written[this.end++] = close;
        this.at++;
        if (this.next() !== close) {
          if (code === OPEN_BRACE) this.#name();
          continue;
        }
      } else {
        if (code === QUOTE) this.#skipString();
        else this.#skipScalar();
        if (this.end === 0) return;
        this.next();
      }
      while (this.code === this.written[this.end - 1]) {
        this.at++;
        if (--this.end === 0) return;
        this.next();
      }
      if (this.code !== COMMA) this.fail('A value without its end');
      this.at++;
      this.next();
      if (this.written[this.end - 1] === CLOSE_BRACE) this.#name();
    }
  }

  #skipScalar(): void {
    const { end } = this;
    this.scalar();
    this.end = end;
  }

  #skipString(): void {
    const { source, end } = this;
    const last = source.length - WORD;
    let at = this.at + 1;
    for (;;) {
      while (at <= last && isPlain(this.#from.getInt32(at, true))) at += WORD;
      while (PLAIN[source[at]!] === 1) at++;
      this.at = at;
      if (source[at] === QUOTE) break;
      this.#unusual(source[at]!);
      at = this.at;
    }
    this.at++;
    this.end = end;
  }

  /** Reads a member's name and colon, up to its value. @returns the end of the name */
  #name(): number {
    if (this.code !== QUOTE) this.fail('A member without a name');
    this.#skipString();
    const { at } = this;
    if (!this.take(COLON)) this.fail('A member without a colon');
    this.next();
    return at;
  }

  /** Reads a string, the quote being at hand. */
  string(): void {
    const { source } = this;
    this.copy();
    for (;;) {
      this.#plainWords();
      let { at, end, written } = this;
      let code = source[at]!;
      while (PLAIN[code] === 1) {
        written[end++] = code;
        code = source[++at]!;
      }
      this.at = at;
      this.end = end;
      if (code === QUOTE) break;
      this.#unusual(code);
    }
    this.copy();
  }

  /** Reads what stands for itself, as far as it comes in whole words. */
  #plainWords(): void {
    const from = this.#from;
    const to = this.#to;
    let { at, end } = this;
    const last = this.source.length - WORD;
    while (at <= last) {
      const word = from.getInt32(at, true);
      if (!isPlain(word)) break;
      to.setInt32(end, word, true);
      at += WORD;
      end += WORD;
    }
    this.at = at;
    this.end = end;
  }

  number(): void {
    const { source } = this;
    if (source[this.at] === MINUS) this.copy();
    if (source[this.at] === ZERO) this.copy();
    else this.#digits();
    if (source[this.at] === POINT) {
      this.copy();
      this.#digits();
    }
    // `e` and `E` differ in this one bit.
    if ((source[this.at]! | 0x20) !== 0x65) return;
    this.copy();
    const sign = source[this.at];
    if (sign === PLUS || sign === MINUS) this.copy();
    this.#digits();
  }

  /** Reads `true`, `false` or `null`, whose first letter is at hand. */
  literal(): void {
    const first = this.source[this.at];
    const literal = first === 0x74 ? 'true' : first === 0x66 ? 'false' : 'null';
    for (let i = 0; i < literal.length; i++) {
      if (this.source[this.at] !== literal.charCodeAt(i)) this.fail('Something that is not JSON');
      this.copy();
    }
  }

  /** Writes again, from place `to` on, what was written between two places; up to three bytes more may be spoilt. */
  repeat(from: number, until: number, to: number): void {
    const view = this.#to;
    for (let at = from; at < until; at += WORD) view.setInt32(to + at - from, view.getInt32(at, true), true);
  }

  /** Makes room for what is left of the text and `length` more. */
  makeRoom(length: number): void {
    const needed = this.end + (this.source.length - this.at) + length;
    if (needed <= this.written.length) return;
    const larger = Buffer.allocUnsafeSlow(needed * 2);
    this.written.copy(larger, 0, 0, this.end);
    this.written = larger;
    this.#to = viewOf(larger);
  }

  fail(what: string): never {
    throw new JsonError(what, this.at);
  }

  #digits(): void {
    const { source } = this;
    const start = this.at;
    const { written } = this;
    let { at, end } = this;
    for (let code = source[at]!; code >= ZERO && code <= NINE; code = source[at]!) {
      written[end++] = code;
      at++;
    }
    this.at = at;
    this.end = end;
    if (at === start) this.fail('Something that is not JSON');
  }

  /** An escape, or a character that the canonical text writes as one. */
  #unusual(code: number): void {
    if (code === BACKSLASH) this.#escape();
    else if (code > DELETE) this.#wide();
    else if (code === DELETE) {
      this.at++;
      this.#writeUnit(code);
    } else this.fail(this.at < this.source.length ? 'A control character in a string' : 'A string without its end');
  }

  #escape(): void {
    const escaped = this.source[this.at + 1];
    if (escaped === BACKSLASH || escaped === QUOTE) {
      this.copy();
      this.copy();
      return;
    }
    const sequence = escapeAt(this.source, this.at) ?? this.fail('A wrong escape');
    this.at += sequence.length;
    this.#writeUnit(escapedUnit(sequence));
  }

  #wide(): void {
    const point = wideAt(this.source, this.at);
    if (point < 0) this.malformed = this.at;
    if (point < 0x1_0000) this.#writeUnit(point < 0 ? 0xfffd : point);
    else {
      this.#writeUnit(0xd800 | ((point - 0x1_0000) >> 10));
      this.#writeUnit(0xdc00 | (point & 0x3ff));
    }
    this.at += point < 0 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4;
  }

  #writeUnit(unit: number): void {
    this.makeRoom(LONGEST_FORM);
    this.end = writeCanonical(unit, this.written, this.end);
  }
}
