/**
 * Sees what becomes of dead letters. Each is, at every moment, one of three: told to the SIEM in full, superseded by what the
 * SIEM was told of its id, or still in the bucket (docs/decisions/0014).
 */
import type { LetterOutcome } from '../../../lambda/core/redrive.ts';
import type { StreamName } from '../history.ts';
import { type Letter, letterOf, readLetter } from './letter.ts';
import { greatestSequence, keyOf, type ReceivedEvent } from './siem.ts';
import { NEVER, type Versions } from './versions.ts';

export class LetterWitness {
  readonly #versions: Versions;
  readonly #now: () => number;
  readonly #breach: (sentence: string) => void;
  /** By key, those that lie in the bucket. */
  readonly lying = new Map<string, Letter>();
  readonly #last = new Map<string, Letter>();
  readonly #removedAt = new Map<string, number>();
  /** By stream and id what the SIEM holds. */
  readonly #held = new Map<string, ReceivedEvent>();
  /** Stream, id and content of every row that was stored. */
  readonly #kept = new Set<string>();
  /** By letter and incarnation the event_id under which it was sent. */
  readonly #sentAs = new Map<string, string>();
  /** By row its last withdrawal: what comes after it is another incarnation. */
  readonly #withdrawals = new Map<string, string>();

  constructor(versions: Versions, now: () => number, breach: (sentence: string) => void) {
    this.#versions = versions;
    this.#now = now;
    this.#breach = breach;
  }

  readonly stored = (key: string, body: string): void => {
    const letter = readLetter(body);
    this.lying.set(key, letter);
    this.#last.set(key, letter);
    this.#kept.add(`${letter.row} ${letter.content}`);
  };

  /** Whether this version of the row was kept as a letter. */
  keeps(version: string): boolean {
    return this.#kept.has(version);
  }

  readonly removed = (key: string): void => {
    const letter = this.lying.get(key)!;
    this.lying.delete(key);
    this.#removedAt.set(key, this.#now());
    const isKept = [...this.lying.values()].some(each => each.row === letter.row && each.content === letter.content);
    if (!isKept && !this.#isTold(letter)) this.#breach(`A letter is lost: ${letter.body}`);
  };

  #isTold(letter: Letter): boolean {
    const held = letter.row === undefined ? undefined : this.#held.get(letter.row);
    // The tombstone of an asset that the SIEM never had is not for it.
    if (!held) return letter.deleted;
    const told = this.#contentOf(held);
    // The notice of this very letter.
    if (held.kind === 'oversize' && told === letter.content) return false;
    if (letter.stream === 'dns-blocks') return told === letter.content;
    return this.#orderOf(held) >= this.#versions.orderAt(letter.row!, letter.position, letter.content);
  }

  /** @param key of the letter that the sender tried again last in the event's stream @returns it, if the event is of it */
  taken(event: ReceivedEvent, key: string | undefined): string | undefined {
    const row = keyOf(event.stream, event.id);
    const letter = key === undefined ? undefined : this.#last.get(key);
    const isRedriven = letter?.row === row && event.content === letter.content;
    if (isRedriven) this.#judge(event, letter);
    const held = this.#held.get(row);
    if (!held || greatestSequence(event, held)) this.#held.set(row, event);
    if (event.kind === 'withdrawn') this.#withdrawals.set(row, event.eventId);
    return isRedriven ? key : undefined;
  }

  #judge(event: ReceivedEvent, letter: Letter): void {
    const held = this.#held.get(letter.row!);
    const isNewest = held === undefined || greatestSequence(event, held);
    if (isNewest && held && this.#orderOf(held) > this.#versions.lastOrder(letter.row!, letter.content)) {
      this.#breach(`A letter overrides what is newer: ${event.line} after ${held.line}`);
    }
    const incarnation = `${this.#withdrawals.get(letter.row!)} ${letter.body}`;
    const eventId = this.#sentAs.get(incarnation) ?? event.eventId;
    if (isNewest && eventId !== event.eventId) this.#breach(`A letter under two event_ids: ${event.line}`);
    this.#sentAs.set(incarnation, eventId);
  }

  /** What the operator is told of each letter must be so. */
  told(letters: readonly LetterOutcome[], since: number): void {
    for (const { key, outcome } of letters) {
      if (outcome === 'kept' || (this.#removedAt.get(key) ?? NEVER) >= since) continue;
      this.#breach(`A letter told as ${outcome} was not deleted: ${key}`);
    }
  }

  /** The SIEM lost what it had of the stream. */
  forget(stream: StreamName): void {
    for (const row of this.#held.keys()) if (row.startsWith(`${stream} `)) this.#held.delete(row);
    for (const version of this.#kept) if (version.startsWith(`${stream} `)) this.#kept.delete(version);
  }

  #contentOf(event: ReceivedEvent): string | undefined {
    const key = letterOf(event);
    return key === undefined ? event.content : this.#last.get(key)?.content;
  }

  /** When what the event says was last so. */
  #orderOf(event: ReceivedEvent): number {
    const { kind, owner, position, stream, id } = event;
    const row = keyOf(stream, id);
    if (kind === 'withdrawn') return this.#versions.vanished(row, owner ?? '', position);
    return this.#versions.lastOrder(row, this.#contentOf(event));
  }
}
