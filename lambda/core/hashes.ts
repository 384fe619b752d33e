/**
 * A short tag of an id: 14 hexadecimal characters (52 bits in whole bytes), for memories in which a mistaken match
 * costs a look-up or a repeat and never a change. Not a digest: whoever can choose ids can make tags collide.
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

/** Two words of 32 bits. */
export function mix(id: string): { readonly low: number; readonly high: number } {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return { low, high };
}
