/**
 * Sees what becomes of dead letters. Each is, at every moment, one of three: told to the SIEM in full, superseded by what the
 * SIEM was told of its id, or still in the bucket (docs/decisions/0014).
 */
import type { RedriveOutcome } from '../../../lambda/core/redrive.ts';
import type { StreamName } from '../history.ts';
import { type Letter, letterOf, readDeadLetter } from './letter.ts';
import { greatestSequence, keyOf, type ReceivedEvent } from './siem.ts';
import { NEVER, type Versions } from './versions.ts';

export class DeadLetterRecorder {
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
  readonly #removals = new Map<string, string>();

  constructor(versions: Versions, now: () => number, breach: (sentence: string) => void) {
    this.#versions = versions;
    this.#now = now;
    this.#breach = breach;
  }

  readonly stored = (key: string, body: string): void => {
    const deadLetter = readDeadLetter(body);
    this.lying.set(key, deadLetter);
    this.#last.set(key, deadLetter);
    this.#kept.add(`${deadLetter.row} ${deadLetter.content}`);
  };

  /** Whether this version of the row was kept as a letter. */
  keeps(version: string): boolean {
    return this.#kept.has(version);
  }

  readonly removed = (key: string): void => {
    const deadLetter = this.lying.get(key)!;
    this.lying.delete(key);
    this.#removedAt.set(key, this.#now());
    const isKept = [...this.lying.values()].some(
      each => each.row === deadLetter.row && each.content === deadLetter.content,
    );
    if (!isKept && !this.#isTold(deadLetter)) this.#breach(`A letter is lost: ${deadLetter.body}`);
  };

  #isTold(deadLetter: Letter): boolean {
    const held = deadLetter.row === undefined ? undefined : this.#held.get(deadLetter.row);
    // The tombstone of an asset that the SIEM never had is not for it.
    if (!held) return deadLetter.deleted;
    const told = this.#contentOf(held);
    // The notice of this very letter.
    if (held.kind === 'oversize' && told === deadLetter.content) return false;
    if (deadLetter.stream === 'dns-blocks') return told === deadLetter.content;
    return this.#orderOf(held) >= this.#versions.orderAt(deadLetter.row!, deadLetter.position, deadLetter.content);
  }

  /** @param key of the letter that the sender tried again last in the event's stream @returns it, if the event is of it */
  taken(event: ReceivedEvent, key: string | undefined): string | undefined {
    const row = keyOf(event.stream, event.id);
    const deadLetter = key === undefined ? undefined : this.#last.get(key);
    const isRedriven = deadLetter?.row === row && event.content === deadLetter.content;
    if (isRedriven) this.#check(event, deadLetter);
    const held = this.#held.get(row);
    if (!held || greatestSequence(event, held)) this.#held.set(row, event);
    if (event.kind === 'withdrawn') this.#removals.set(row, event.eventId);
    return isRedriven ? key : undefined;
  }

  #check(event: ReceivedEvent, deadLetter: Letter): void {
    const held = this.#held.get(deadLetter.row!);
    const isNewest = held === undefined || greatestSequence(event, held);
    if (isNewest && held && this.#orderOf(held) > this.#versions.lastOrder(deadLetter.row!, deadLetter.content)) {
      this.#breach(`A letter overrides what is newer: ${event.line} after ${held.line}`);
    }
    const revision = `${this.#removals.get(deadLetter.row!)} ${deadLetter.body}`;
    const eventId = this.#sentAs.get(revision) ?? event.eventId;
    if (isNewest && eventId !== event.eventId) this.#breach(`A letter under two event_ids: ${event.line}`);
    this.#sentAs.set(revision, eventId);
  }

  /** What the operator is told of each letter must be so. */
  told(letters: readonly RedriveOutcome[], since: number): void {
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
    const { kind, parent, position, stream, id } = event;
    const row = keyOf(stream, id);
    if (kind === 'withdrawn') return this.#versions.gone(row, parent ?? '', position);
    return this.#versions.lastOrder(row, this.#contentOf(event));
  }
}
