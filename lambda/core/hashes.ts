/** Short tags of ids and versions, for the de-duplication window and the intents. */

/**
 * A short tag of an id: 14 hexadecimal characters (52 bits in whole bytes), for places where a mistaken match
 * costs a look-up or a repeat and never a change. Not a cryptographic hash: whoever can choose ids can make tags collide.
 *
 * The mixing is that of cyrb53 (public domain, bryc).
 */
export function idTag(id: string): string {
  const { low, high } = mix(id);
  return HEX[(low >>> 16) & 0xf]! + HEX[(low >>> 8) & 0xff]! + HEX[low & 0xff]! + hex32(high);
}

/** The last characters of the tag. */
export function shortIdTag(id: string): string {
  return hex32(mix(id).high);
}

/** Characters of the short tag. */
export const SHORT_TAG = 8;

/** A number's own `toString(16)` takes ten times as long. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The eight hexadecimal characters of a 32-bit word. */
export function hex32(word: number): string {
  return HEX[word >>> 24]! + HEX[(word >>> 16) & 0xff]! + HEX[(word >>> 8) & 0xff]! + HEX[word & 0xff]!;
}

// Looked up once: a global that is looked up for each character is slow in the contexts of tests.
const { imul } = Math;

/** Two words of 32 bits. */
export function mix(id: string): { readonly low: number; readonly high: number } {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    high = imul(high ^ code, 2654435761);
    low = imul(low ^ code, 1597334677);
  }
  high = imul(high ^ (high >>> 16), 2246822507) ^ imul(low ^ (low >>> 13), 3266489909);
  low = imul(low ^ (low >>> 16), 2246822507) ^ imul(high ^ (high >>> 13), 3266489909);
  return { low, high };
}

/** Hexadecimal characters of a 32-bit word. */
const WORD = 8;

/**
 * What the window holds of a row: 24 hexadecimal characters, of its id, of its content and, where it changes, of its position.
 *
 * Content is a tenant's, so its part is a piece of a cryptographic digest. The position is the platform's own: a quick
 * mix of it, laid over that piece, distinguishes one delivery of the content from another.
 *
 * @param digest of the content, in hexadecimal
 * @param position canonical text; absent for rows that are known by content alone
 */
export function versionTagOf(id: string, rowHash: string, position?: string): string {
  if (position === undefined) return shortIdTag(id) + rowHash.slice(0, 2 * WORD);
  const { low, high } = mix(position);
  const first = Number.parseInt(rowHash.slice(0, WORD), 16) ^ low;
  const second = Number.parseInt(rowHash.slice(WORD, 2 * WORD), 16) ^ high;
  return shortIdTag(id) + hex32(first) + hex32(second);
}
