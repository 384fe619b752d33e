import type { Hash } from '../ports.ts';

/**
 * Remembers the cursors that a walk has followed, as digests. A cursor may have 64 KiB and a walk
 * 100,000 pages, but their digests take only some 10 MB.
 *
 *     beginning → c1 → c2 → c3 → c1     c1 was followed before, so the cursors lead around a circle
 */
export class FollowedCursors {
  readonly #hash: Hash;
  readonly #digests = new Set<string>();

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  add(cursor: string): void {
    this.#digests.add(this.#digest(cursor));
  }

  has(cursor: string): boolean {
    return this.#digests.has(this.#digest(cursor));
  }

  clear(): void {
    this.#digests.clear();
  }

  /**
   * Keeps the whole digest, because a mistaken match would end a walk early. The bytes take half
   * the memory of their hexadecimal digits.
   */
  #digest(cursor: string): string {
    return Buffer.from(this.#hash(cursor), 'hex').toString('latin1');
  }
}
