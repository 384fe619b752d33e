/**
 * Reads the tokens of JSON (RFC 8259), checks their grammar and writes each in its canonical form: no white space, and
 * all but printable ASCII as `\uXXXX`. Numbers keep every digit.
 *
 * Works on code units in typed arrays, without a string for each token: that is where its speed comes from.
 */
import { JsonError } from './errors.ts';
import { BACKSLASH, DELETE, MINUS, NINE, PLUS, POINT, QUOTE, ZERO } from './json-codes.ts';
import { escapeAt, escapedUnit, LONGEST_FORM, writeCanonical } from './json-escape.ts';

/** 1 for each code unit that stands for itself in a string: one look-up is faster than four comparisons. */
const PLAIN = new Uint8Array(0x1_0000).fill(1, 0x20, DELETE);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

export class TokenReader {
  readonly text: string;
  /** Place in the text, in code units. */
  at = 0;
  /** What has been written; always has room for what is left of the text. */
  written: Buffer;
  /** End of what has been written; may be set back by whoever does not need it. */
  end = 0;
  /** Whether nothing but ASCII has been read; may be set back. */
  isAscii = true;
  /** One unit longer than the text: the zero at its end is no JSON, so no loop runs past it. */
  readonly #units: Uint16Array;

  constructor(text: string) {
    this.text = text;
    const bytes = Buffer.allocUnsafeSlow((text.length + 1) * 2);
    bytes.write(text, 'utf16le');
    this.#units = new Uint16Array(bytes.buffer, 0, text.length + 1);
    this.#units[text.length] = 0;
    this.written = Buffer.allocUnsafeSlow(text.length + LONGEST_FORM);
  }

  /** What has been written since `from`. */
  canonical(from: number): string {
    return this.written.toString('latin1', from, this.end);
  }

  /** The code unit at hand. */
  get code(): number {
    return this.#units[this.at]!;
  }

  /** Steps over white space. @returns the code unit that comes. */
  next(): number {
    const units = this.#units;
    let code = units[this.at]!;
    while (code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)) code = units[++this.at]!;
    return code;
  }

  /** Steps over white space and `code`, if that is what comes. */
  take(code: number): boolean {
    if (this.next() !== code) return false;
    this.at++;
    return true;
  }

  /** Writes the code unit at hand as it is. */
  copy(): void {
    this.written[this.end++] = this.#units[this.at++]!;
  }

  /** Reads exactly these bytes, or nothing. */
  copyIf(bytes: Uint8Array): boolean {
    const units = this.#units;
    const { at, end, written } = this;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (units[at + i] !== byte) return false;
      written[end + i] = byte;
    }
    this.at = at + bytes.length;
    this.end = end + bytes.length;
    return true;
  }

  /** Reads a string, the quote being at hand. */
  string(): void {
    const units = this.#units;
    let { at, end, written } = this;
    written[end++] = QUOTE;
    at++;
    for (let code = units[at]!; code !== QUOTE; code = units[at]!) {
      if (PLAIN[code] === 1) {
        written[end++] = code;
        at++;
      } else {
        this.at = at;
        this.end = end;
        this.#unusual(code);
        ({ at, end, written } = this);
      }
    }
    written[end] = QUOTE;
    this.at = at + 1;
    this.end = end + 1;
  }

  number(): void {
    const units = this.#units;
    if (units[this.at] === MINUS) this.copy();
    if (units[this.at] === ZERO) this.copy();
    else this.#digits();
    if (units[this.at] === POINT) {
      this.copy();
      this.#digits();
    }
    // `e` and `E` differ in this one bit.
    if ((units[this.at]! | 0x20) !== 0x65) return;
    this.copy();
    const sign = units[this.at];
    if (sign === PLUS || sign === MINUS) this.copy();
    this.#digits();
  }

  /** Reads `true`, `false` or `null`, whose first letter is at hand. */
  literal(): void {
    const first = this.#units[this.at];
    const literal = first === 0x74 ? 'true' : first === 0x66 ? 'false' : 'null';
    for (let i = 0; i < literal.length; i++) {
      if (this.#units[this.at] !== literal.charCodeAt(i)) this.fail('Something that is not JSON');
      this.copy();
    }
  }

  /** Makes room for what is left of the text and `length` more. */
  makeRoom(length: number): void {
    const needed = this.end + (this.text.length - this.at) + length;
    if (needed <= this.written.length) return;
    const larger = Buffer.allocUnsafeSlow(needed * 2);
    this.written.copy(larger, 0, 0, this.end);
    this.written = larger;
  }

  fail(what: string): never {
    throw new JsonError(what, this.at);
  }

  #digits(): void {
    const units = this.#units;
    const start = this.at;
    const { written } = this;
    let { at, end } = this;
    for (let code = units[at]!; code >= ZERO && code <= NINE; code = units[at]!) {
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
    else if (code >= 0x20) {
      this.at++;
      if (code > DELETE) this.isAscii = false;
      this.#writeUnit(code);
    } else this.fail(this.at < this.text.length ? 'A control character in a string' : 'A string without its end');
  }

  #escape(): void {
    const escaped = this.#units[this.at + 1];
    if (escaped === BACKSLASH || escaped === QUOTE) {
      this.copy();
      this.copy();
      return;
    }
    const sequence = escapeAt(this.text, this.at) ?? this.fail('A wrong escape');
    this.at += sequence.length;
    this.#writeUnit(escapedUnit(sequence));
  }

  #writeUnit(unit: number): void {
    this.makeRoom(LONGEST_FORM);
    this.end = writeCanonical(unit, this.written, this.end);
  }
}
