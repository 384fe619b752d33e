/** What the window remembers of a row: 24 hexadecimal characters, of its id, of its content and, where it changes, of its position. */
import { hex32, mix, shortIdTag } from './hashes.ts';

/** Hexadecimal characters of a 32-bit word. */
const WORD = 8;

/**
 * Content is a tenant's, so its part is a piece of a cryptographic digest. The position is the platform's own: a quick
 * mix of it, laid over that piece, tells one delivery of the content from another.
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
