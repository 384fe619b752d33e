/**
 * A short tag of an id: 14 hexadecimal characters (52 bits and a leading zero, whole bytes), for memories in which a mistaken match costs a look-up or a
 * repeat and never a change. Not a digest: whoever can choose ids can make tags collide.
 *
 * The mixing is that of cyrb53 (public domain, bryc).
 */
export function idTag(id: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (0xfffff & low) + (high >>> 0)).toString(16).padStart(14, '0');
}

/** Characters of the tag that a fingerprint begins with. */
export const SHORT_TAG = 8;
