/**
 * What is known of each id by the table and by the API, in about a hundred bytes an id: millions fit a laptop.
 *
 * Ids are held as the keys of row states hold them (`=<id>`, or `#<hash>` of one that is too long), in arrays without an
 * object an id: a `Map` of texts would take several times as much.
 */
import { mix } from '../../../lambda/core/hashes.ts';

const DIGEST_BYTES = 16;
const GROWTH = 1.5;

/** What an entry is known to be; several at once. */
export const FACT = {
  /** The table has a state: the SIEM was sent the row last. */
  sent: 1,
  /** The table has a state: the SIEM was told last that the row is gone. */
  told: 2,
  /** The table has a state that cannot be read. */
  damaged: 4,
  /** The state is older than the last replay: it does not say what the SIEM has. */
  stale: 8,
  /** The API has listed the row, last as live. */
  live: 16,
  /** The API has listed the row, last as a tombstone. */
  tombstone: 32,
  /** The digest of what the API listed last is that of the state. */
  equal: 64,
} as const;

export class IdIndex {
  /** Place of an entry, plus one; open addressing. */
  #slots = new Int32Array(1024);
  #ends = new Uint32Array(512);
  #facts = new Uint8Array(512);
  #rowHashes = new Uint8Array(512 * DIGEST_BYTES);
  #keys = Buffer.alloc(512 * 32);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** Bytes that all of it takes. */
  get bytes(): number {
    const parts = [this.#slots, this.#ends, this.#facts, this.#rowHashes, this.#keys];
    return parts.reduce((sum, each) => sum + each.byteLength, 0);
  }

  /** Its place; an entry is made where there is none. */
  place(key: string): number {
    const found = this.#find(key);
    if (found >= 0) return found;
    const place = this.#count++;
    this.#makeRoom(Buffer.byteLength(key));
    const start = this.#start(place);
    this.#ends[place] = start + this.#keys.write(key, start);
    this.#slots[this.#freeSlot(key)] = place + 1;
    return place;
  }

  key(place: number): string {
    return this.#keys.toString('utf8', this.#start(place), this.#ends[place]);
  }

  facts(place: number): number {
    return this.#facts[place]!;
  }

  setFacts(place: number, facts: number): void {
    this.#facts[place] = facts;
  }

  /** @param digest in hexadecimal; empty: none */
  setDigest(place: number, rowHash: string): void {
    this.#rowHashes.set(Buffer.from(rowHash, 'hex').subarray(0, DIGEST_BYTES), place * DIGEST_BYTES);
  }

  rowHash(place: number): string {
    return Buffer.from(this.#rowHashes.subarray(place * DIGEST_BYTES, (place + 1) * DIGEST_BYTES)).toString('hex');
  }

  #start(place: number): number {
    return place === 0 ? 0 : this.#ends[place - 1]!;
  }

  #find(key: string): number {
    for (let at = this.#home(key); ; at = (at + 1) % this.#slots.length) {
      const place = this.#slots[at]! - 1;
      if (place < 0 || this.key(place) === key) return place;
    }
  }

  #freeSlot(key: string): number {
    let at = this.#home(key);
    while (this.#slots[at] !== 0) at = (at + 1) % this.#slots.length;
    return at;
  }

  #home(key: string): number {
    return (mix(key).low >>> 0) % this.#slots.length;
  }

  #makeRoom(keyBytes: number): void {
    const end = this.#start(this.#count - 1) + keyBytes;
    if (end > this.#keys.length) {
      const keys = Buffer.alloc(Math.ceil(Math.max(end, this.#keys.length * GROWTH)));
      keys.set(this.#keys);
      this.#keys = keys;
    }
    if (this.#count > this.#ends.length) {
      const room = Math.ceil(this.#ends.length * GROWTH);
      this.#ends = larger(this.#ends, room);
      this.#facts = larger(this.#facts, room);
      this.#rowHashes = larger(this.#rowHashes, room * DIGEST_BYTES);
    }
    if (this.#count > this.#slots.length * 0.75) this.#rehash(Math.ceil(this.#slots.length * GROWTH));
  }

  #rehash(length: number): void {
    this.#slots = new Int32Array(length);
    for (let place = 0; place < this.#count - 1; place++) this.#slots[this.#freeSlot(this.key(place))] = place + 1;
  }
}

function larger<T extends Uint8Array | Uint32Array>(array: T, length: number): T {
  const room = new (array.constructor as new (length: number) => T)(Math.ceil(length));
  room.set(array);
  return room;
}
