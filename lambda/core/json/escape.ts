/** Escapes in JSON strings (RFC 8259 §7), and the one form in which the canonical text writes each character. */
import { BACKSLASH, DELETE, QUOTE } from './codes.ts';

/** The longest canonical form of one code unit: `\uXXXX`. */
export const LONGEST_FORM = 6;

const LOWER_U = 0x75;
const HEX = '0123456789abcdef';
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;

/** The escape sequence at this place; nothing when there is none. */
export function escapeAt(text: Buffer, at: number): string | undefined {
  return ESCAPE.exec(text.toString('latin1', at, at + LONGEST_FORM))?.[0];
}

/** The code unit that an escape sequence stands for. */
export function escapedUnit(sequence: string): number {
  return JSON.parse(`"${sequence}"`).charCodeAt(0);
}

/** Printable ASCII stands for itself, everything else is `\uXXXX`. @returns the end of what was written. */
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

/** Bytes of the character that begins with this one (RFC 3629 §3). */
export function wideLength(first: number): number {
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** The character of so many bytes at this place in UTF-16, as escapes write it: each byte after the first has six bits of it. */
export function wideUnits(text: Buffer, at: number, length: number): number[] {
  let point = text[at]! & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) point = (point << 6) | (text[at + i]! & 0x3f);
  if (point < 0x1_0000) return [point];
  const beyond = point - 0x1_0000;
  return [0xd800 | (beyond >> 10), 0xdc00 | (beyond & 0x3ff)];
}
