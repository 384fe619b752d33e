/**
 * What the table and the API say about each id, and where they differ, in about a hundred bytes per id, so that millions fit in memory.
 *
 * Ids are stored as in the keys of row states: `=asset-7f3a`, or `#<hash>` for a long id. Typed arrays take a fraction of what
 * a `Map` of strings would.
 */
import { mix } from '../../../../lambda/core/hashes.ts';
import { idOf } from '../../../../lambda/store/item.ts';

const HASH_BYTES = 16;
const GROWTH = 1.5;

/** Facts about an entry, combined as bits. */
export const FACT = {
  /** The row state says that the SIEM was last sent the row. */
  sent: 1,
  /** The row state says that the SIEM was last sent the removal. */
  removed: 2,
  /** Its state is older than the last replay. */
  stale: 8,
  /** The API last listed the row as live. */
  live: 16,
  /** The API last listed the row as a tombstone. */
  tombstone: 32,
  /** The row that the API listed last has the hash of the state. */
  equal: 64,
  /** The API last listed the row as live, and the filter excludes it. */
  withheld: 128,
  /** The row state says that the SIEM was last sent a withdrawal because of the filter. */
  filtered: 256,
} as const;

const STATE = FACT.sent | FACT.removed | FACT.stale | FACT.filtered;

export class IdIndex {
  /** Place of an entry plus one, with open addressing. */
  #slots = new Int32Array(1024);
  #ends = new Uint32Array(512);
  #facts = new Uint16Array(512);
  #rowHashes = new Uint8Array(512 * HASH_BYTES);
  #keys = Buffer.alloc(512 * 32);
  #count = 0;
  /** Hashes of listed rows that differ from their state, by place. */
  readonly #differing = new Map<number, string>();

  get size(): number {
    return this.#count;
  }

  /** Memory of all arrays. */
  get bytes(): number {
    const parts = [this.#slots, this.#ends, this.#facts, this.#rowHashes, this.#keys];
    return parts.reduce((sum, each) => sum + each.byteLength, 0);
  }

  /** The place of a key, which is added if it is new. */
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

  /** @param rowHash hexadecimal, empty for none */
  setRowHash(place: number, rowHash: string): void {
    this.#rowHashes.set(Buffer.from(rowHash, 'hex').subarray(0, HASH_BYTES), place * HASH_BYTES);
  }

  rowHash(place: number): string {
    return Buffer.from(this.#rowHashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)).toString('hex');
  }

  /** Hash of the row that the API listed last. */
  listedHash(place: number): string {
    return this.#differing.get(place) ?? this.rowHash(place);
  }

  /** Number of ids of which these facts hold. */
  count(has: (facts: number) => boolean): number {
    let count = 0;
    for (let place = 0; place < this.#count; place++) if (has(this.#facts[place]!)) count++;
    return count;
  }

  /** Records a row of the API's list. The last one of an id counts, as it does for the SIEM. */
  list(key: string, fact: number, rowHash: string): void {
    const place = this.place(key);
    const before = this.facts(place);
    const state = before & STATE;
    const equal = this.rowHash(place) === rowHash;
    this.setFacts(place, state | fact | (equal ? FACT.equal : 0));
    if (equal) this.#differing.delete(place);
    // Millions of rows may be unsent, so their hashes go into the arrays, where no state has one.
    else if (state === 0) this.setRowHash(place, rowHash);
    else this.#differing.set(place, rowHash);
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
      this.#rowHashes = larger(this.#rowHashes, room * HASH_BYTES);
    }
    if (this.#count > this.#slots.length * 0.75) this.#rehash(Math.ceil(this.#slots.length * GROWTH));
  }

  #rehash(length: number): void {
    this.#slots = new Int32Array(length);
    for (let place = 0; place < this.#count - 1; place++) this.#slots[this.#freeSlot(this.key(place))] = place + 1;
  }
}

function larger<T extends Uint8Array | Uint16Array | Uint32Array>(array: T, length: number): T {
  const room = new (array.constructor as new (length: number) => T)(Math.ceil(length));
  room.set(array);
  return room;
}

export const DIFFERENCES = {
  missing: 'never sent to the SIEM',
  other: 'sent with other content',
  hidden: 'sent as removed, but live at the API',
  ghost: 'live at the SIEM, but removed from the API',
  unfiltered: 'live at the SIEM, but excluded by the filter',
  stale: 'not sent again since the last replay',
} as const;

export type DifferenceKind = keyof typeof DIFFERENCES;

export interface Difference {
  readonly kind: DifferenceKind;
  /** Undefined if the table has only its hash. */
  readonly id: string | undefined;
  /** Key of its row state. */
  readonly key: string;
  /** As the API listed it, undefined if it did not. */
  readonly listed: 'live' | 'tombstone' | 'withheld' | undefined;
  /** Hash of the row that the API listed last. */
  readonly rowHash: string | undefined;
}

/** @returns undefined if both sides agree */
export function disagreement(facts: number): DifferenceKind | undefined {
  const has = (fact: number) => (facts & fact) !== 0;
  if (has(FACT.withheld)) return has(FACT.sent) ? 'unfiltered' : undefined;
  const live = has(FACT.live);
  const listed = live || has(FACT.tombstone);
  // The tombstone of an asset that was never sent, or that the filter withdrew, is not sent.
  if (has(FACT.filtered) && !live) return undefined;
  if (!has(FACT.sent) && !has(FACT.removed)) return live ? 'missing' : undefined;
  if (has(FACT.stale) && listed) return 'stale';
  if (has(FACT.removed)) return live ? 'hidden' : listed && !has(FACT.equal) ? 'other' : undefined;
  if (!live) return 'ghost';
  return has(FACT.equal) ? undefined : 'other';
}

function listedAs(facts: number): Difference['listed'] {
  if (facts & FACT.withheld) return 'withheld';
  if (facts & FACT.live) return 'live';
  return facts & FACT.tombstone ? 'tombstone' : undefined;
}

export function differences(idIndex: IdIndex): Difference[] {
  const found: Difference[] = [];
  for (let place = 0; place < idIndex.size; place++) {
    const facts = idIndex.facts(place);
    const kind = disagreement(facts);
    if (!kind) continue;
    const key = idIndex.key(place);
    const listed = listedAs(facts);
    const rowHash = listed && idIndex.listedHash(place);
    found.push({ kind, id: idOf(key), key, listed, rowHash });
  }
  return found;
}
