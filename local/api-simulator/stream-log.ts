/** An entry of a stream. The log sets `seq`, which increases by one and which cursors encode. */
export interface Entry {
  seq: number;
}

/**
 * An append-only order of entries that can be withdrawn. Reading from any place costs the same: forward links with path halving
 * skip withdrawn entries, which are dropped once they are the majority.
 */
export class StreamLog<T extends Entry> {
  #entries: (T | undefined)[] = [];
  #seqs: number[] = [];
  #forward: number[] = [0];
  #withdrawn = 0;
  #lastSeq = 0;

  /** Places in memory, including those of withdrawn entries. */
  get places(): number {
    return this.#entries.length;
  }

  append(entry: T): void {
    entry.seq = ++this.#lastSeq;
    this.#entries.push(entry);
    this.#seqs.push(entry.seq);
    this.#forward.push(this.#entries.length);
  }

  /** Puts an entry in the place of one that was withdrawn. Costs as much as there are entries. */
  insert(entry: T, seq: number): void {
    entry.seq = seq;
    const index = this.#indexAfter(seq - 1);
    const keepsPlace = this.#seqs[index] === seq;
    this.#entries.splice(index, keepsPlace ? 1 : 0, entry);
    this.#seqs.splice(index, keepsPlace ? 1 : 0, seq);
    this.#compact();
  }

  /** Removes the entry from the order, if it is there. */
  withdraw(entry: T): void {
    const index = this.#indexAfter(entry.seq - 1);
    if (this.#entries[index] !== entry) return;
    this.#entries[index] = undefined;
    this.#forward[index] = index + 1;
    this.#withdrawn++;
    if (this.#withdrawn > 4096 && this.#withdrawn > this.#entries.length / 2) this.#compact();
  }

  /** The entries after the place `seq`, in order. */
  *after(seq: number): Generator<T> {
    let index = this.#live(this.#indexAfter(seq));
    while (index < this.#entries.length) {
      yield this.#entries[index]!;
      index = this.#live(index + 1);
    }
  }

  #live(from: number): number {
    const forward = this.#forward;
    let index = from;
    while (forward[index] !== index) {
      forward[index] = forward[forward[index]!]!;
      index = forward[index]!;
    }
    return index;
  }

  #indexAfter(seq: number): number {
    let low = 0;
    let high = this.#seqs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#seqs[middle]! <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compact(): void {
    this.#entries = this.#entries.filter(entry => entry !== undefined);
    this.#seqs = this.#entries.map(entry => entry!.seq);
    this.#forward = Array.from({ length: this.#entries.length + 1 }, (_, index) => index);
    this.#withdrawn = 0;
  }
}
