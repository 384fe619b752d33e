/**
 * Entry of a stream. The log sets `seq`, which increases by one for each entry, and which cursors
 * encode.
 */
export interface StreamEntry {
  seq: number;
}

/**
 * Ordered entries. An entry is appended and can be withdrawn again. A withdrawn entry leaves a gap,
 * and gaps are dropped once they are the majority.
 */
export class StreamLog<T extends StreamEntry> {
  #entries: { readonly seq: number; entry: T | undefined }[] = [];
  #withdrawn = 0;
  #lastSeq = 0;

  append(entry: T): void {
    entry.seq = ++this.#lastSeq;
    this.#entries.push({ seq: entry.seq, entry });
  }

  /**
   * Puts an entry into the place of a withdrawn entry. The cost grows with the number of entries.
   */
  insert(entry: T, seq: number): void {
    entry.seq = seq;
    const index = this.#indexAfter(seq - 1);
    const keepsPlace = this.#entries[index]?.seq === seq;
    this.#entries.splice(index, keepsPlace ? 1 : 0, { seq, entry });
    this.#compact();
  }

  /** Removes the entry from the order if it is there. */
  withdraw(entry: T): void {
    const place = this.#entries[this.#indexAfter(entry.seq - 1)];
    if (place?.entry !== entry) return;
    place.entry = undefined;
    this.#withdrawn++;
    if (this.#withdrawn > 1024 && this.#withdrawn > this.#entries.length / 2) this.#compact();
  }

  /** The entries after the place `seq`, in order. */
  *after(seq: number): Generator<T> {
    for (let index = this.#indexAfter(seq); index < this.#entries.length; index++) {
      const { entry } = this.#entries[index]!;
      if (entry) yield entry;
    }
  }

  #indexAfter(seq: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[middle]!.seq <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compact(): void {
    this.#entries = this.#entries.filter(({ entry }) => entry !== undefined);
    this.#withdrawn = 0;
  }
}
