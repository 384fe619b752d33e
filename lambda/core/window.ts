/**
 * The fingerprints of the rows most recently read and settled: they swallow the page that every poll reads again,
 * without a single look-up.
 *
 * The window is not emptied when the cursor moves, since a later answer may cut the same rows into other pages.
 * A `Set` keeps insertion order, so the oldest fingerprint is its first:
 *
 *     capacity 3, settled a b c d  →  {b, c, d}
 *     then settled b               →  {c, d, b}   (read again: it stays longest)
 */
import { SHORT_TAG, shortIdTag } from './id-tag.ts';

export class Window {
  readonly #fingerprints: Set<string>;
  readonly #capacity: number;

  constructor(fingerprints: Iterable<string>, capacity: number) {
    this.#fingerprints = new Set(fingerprints);
    this.#capacity = capacity;
  }

  has(fingerprint: string | undefined): boolean {
    return fingerprint !== undefined && this.#fingerprints.has(fingerprint);
  }

  /** @returns whether any of them is new to the window: only then is there something to save. */
  settle(fingerprints: readonly (string | undefined)[]): boolean {
    const before = this.#fingerprints.size;
    let added = 0;
    for (const fingerprint of fingerprints) {
      if (fingerprint === undefined) continue;
      if (!this.#fingerprints.delete(fingerprint)) added++;
      this.#fingerprints.add(fingerprint);
    }
    this.#trim(Math.max(this.#capacity, fingerprints.length));
    return added > 0 || this.#fingerprints.size < before;
  }

  /** Forgets whatever it knows of these ids, so that a row that comes back unchanged is looked up. */
  forget(ids: Iterable<string>): boolean {
    const tags = new Set<string>();
    for (const id of ids) tags.add(shortIdTag(id));
    const before = this.#fingerprints.size;
    for (const fingerprint of this.#fingerprints) {
      if (tags.has(fingerprint.slice(0, SHORT_TAG))) this.#fingerprints.delete(fingerprint);
    }
    return this.#fingerprints.size < before;
  }

  /** Oldest first. */
  snapshot(): string[] {
    return [...this.#fingerprints];
  }

  #trim(capacity: number): void {
    for (const oldest of this.#fingerprints) {
      if (this.#fingerprints.size <= capacity) return;
      this.#fingerprints.delete(oldest);
    }
  }
}
