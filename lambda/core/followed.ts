import type { Hash } from '../ports.ts';

/**
 * The cursors that a walk has followed, as digests: a cursor may have 64 KiB, and a walk 100,000 pages, which take some 10 MB here.
 *
 *     beginning → c1 → c2 → c3 → c1     followed c1 c2 c3: c1 leads around a circle
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

  /** The whole digest, because a mistaken match would end a walk early. As bytes it takes half the room of its digits. */
  #digest(cursor: string): string {
    return Buffer.from(this.#hash(cursor), 'hex').toString('latin1');
  }
}
