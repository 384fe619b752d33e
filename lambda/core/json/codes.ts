/** The characters that JSON's grammar names (RFC 8259 §2, §6, §7), as bytes. */
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
/** The first beyond printable ASCII. */
export const DELETE = 0x7f;

/** White space between tokens. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Bytes of a word of 32 bits. What comes in long runs is read and written several times faster four bytes at a time. */
export const WORD = 4;

/** Bytes to be compared with the text at hand, word by word; the last word ends where they end. */
export interface Bytes {
  readonly length: number;
  readonly words: Int32Array;
}

export function bytesOf(text: string): Bytes {
  const bytes = Buffer.from(text, 'latin1');
  const { length } = bytes;
  const words = new Int32Array(length < WORD ? 0 : Math.ceil(length / WORD));
  for (let i = 0; i < words.length; i++) words[i] = bytes.readInt32LE(Math.min(i * WORD, length - WORD));
  return { length, words };
}

/** Whether each of four bytes stands for itself: neither quote nor backslash (which would be zero), below 0x20 nor above 0x7e. */
export function isPlain(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const zeros = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  return ((zeros | (word - 0x20202020) | (word + 0x01010101)) & 0x80808080) === 0;
}

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The longest canonical form of one code unit: `\uXXXX`. */
export const LONGEST_FORM = 6;

const LOWER_U = 0x75;
const HEX = '0123456789abcdef';
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;

/** The escape sequence of a string (RFC 8259 §7) at this place; nothing when there is none. */
export function escapeAt(text: Buffer, at: number): string | undefined {
  return ESCAPE.exec(text.toString('latin1', at, at + LONGEST_FORM))?.[0];
}

/** The code unit that an escape sequence stands for. */
export function escapedUnit(sequence: string): number {
  return JSON.parse(`"${sequence}"`).charCodeAt(0);
}

/**
 * Writes the one form of a character in the canonical text: printable ASCII stands for itself, everything else is `\uXXXX`.
 *
 * @returns the end of what was written
 */
export function writeCanonical(unit: number, to: Uint8Array, at: number): number {
  let end = at;
  if (unit >= 0x20 && unit < DELETE) {
    if (unit === QUOTE || unit === BACKSLASH) to[end++] = BACKSLASH;
    to[end++] = unit;
    return end;
  }
  to[end++] = BACKSLASH;
  to[end++] = LOWER_U;
  for (let shift = 12; shift >= 0; shift -= 4) to[end++] = HEX.charCodeAt((unit >> shift) & 0xf);
  return end;
}

/** The least code point that takes so many bytes. */
const LEAST = [0, 0, 0x80, 0x800, 0x1_0000];

/** The code point of two to four bytes at this place; -1 when they are not UTF-8 (RFC 3629 §3). */
export function wideAt(text: Uint8Array, at: number): number {
  const first = text[at]!;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  let point = first & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) {
    const byte = text[at + i]!;
    if ((byte & 0xc0) !== 0x80) return -1;
    point = (point << 6) | (byte & 0x3f);
  }
  const isSurrogate = point >= 0xd800 && point < 0xe000;
  return first < 0xc2 || first > 0xf4 || point < LEAST[length]! || isSurrogate || point > 0x10_ffff ? -1 : point;
}
