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
import { SHORT_TAG, shortIdTag } from './hashes.ts';

export class Window {
  readonly #versionTags: Set<string>;
  readonly #capacity: number;

  constructor(versionTags: Iterable<string>, capacity: number) {
    this.#versionTags = new Set(versionTags);
    this.#capacity = capacity;
  }

  has(versionTag: string | undefined): boolean {
    return versionTag !== undefined && this.#versionTags.has(versionTag);
  }

  /** @returns whether any of them is new to the window: only then is there something to save. */
  settle(versionTags: readonly (string | undefined)[]): boolean {
    const before = this.#versionTags.size;
    let added = 0;
    for (const versionTag of versionTags) {
      if (versionTag === undefined) continue;
      if (!this.#versionTags.delete(versionTag)) added++;
      this.#versionTags.add(versionTag);
    }
    this.#trim(Math.max(this.#capacity, versionTags.length));
    return added > 0 || this.#versionTags.size < before;
  }

  /** Forgets whatever it knows of these ids, so that a row that comes back unchanged is looked up. */
  forget(ids: Iterable<string>): boolean {
    const idTags = new Set<string>();
    for (const id of ids) idTags.add(shortIdTag(id));
    const before = this.#versionTags.size;
    for (const versionTag of this.#versionTags) {
      if (idTags.has(versionTag.slice(0, SHORT_TAG))) this.#versionTags.delete(versionTag);
    }
    return this.#versionTags.size < before;
  }

  /** Oldest first. */
  snapshot(): string[] {
    return [...this.#versionTags];
  }

  #trim(capacity: number): void {
    for (const oldest of this.#versionTags) {
      if (this.#versionTags.size <= capacity) return;
      this.#versionTags.delete(oldest);
    }
  }
}
