/**
 * Records what becomes of dead letters. At every moment each is one of three: sent to the SIEM in full, superseded by a later event of
 * its id, or still in the bucket (docs/decisions/0014).
 */
import type { RedriveOutcome } from '../../../lambda/core/redrive.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { greatestSequence, keyOf, type ReceivedEvent } from '../../support/siem.ts';
import { type DeadLetter, deadLetterOf, readDeadLetter } from './dead-letters.ts';
import { NEVER, type Versions } from './versions.ts';

export class DeadLetterRecorder {
  readonly #versions: Versions;
  readonly #now: () => number;
  readonly #breach: (sentence: string) => void;
  /** By key, those in the bucket. */
  readonly inBucket = new Map<string, DeadLetter>();
  readonly #last = new Map<string, DeadLetter>();
  readonly #removedAt = new Map<string, number>();
  /** By stream and id what the SIEM holds. */
  readonly #held = new Map<string, ReceivedEvent>();
  /** Stream, id and content of every row that was stored. */
  readonly #kept = new Set<string>();
  /** By dead letter and revision the event_id under which it was sent. */
  readonly #sentAs = new Map<string, string>();
  /** By row its last withdrawal: what comes after it is another revision. */
  readonly #removals = new Map<string, string>();

  constructor(versions: Versions, now: () => number, breach: (sentence: string) => void) {
    this.#versions = versions;
    this.#now = now;
    this.#breach = breach;
  }

  readonly stored = (key: string, body: string): void => {
    const deadLetter = readDeadLetter(body);
    this.inBucket.set(key, deadLetter);
    this.#last.set(key, deadLetter);
    this.#kept.add(`${deadLetter.row} ${deadLetter.content}`);
  };

  /** Whether this version of the row was kept as a dead letter. */
  keeps(version: string): boolean {
    return this.#kept.has(version);
  }

  readonly removed = (key: string): void => {
    const deadLetter = this.inBucket.get(key)!;
    this.inBucket.delete(key);
    this.#removedAt.set(key, this.#now());
    const isKept = [...this.inBucket.values()].some(
      each => each.row === deadLetter.row && each.content === deadLetter.content,
    );
    if (!isKept && !this.#isForwarded(deadLetter)) this.#breach(`A dead letter is lost: ${deadLetter.body}`);
  };

  #isForwarded(deadLetter: DeadLetter): boolean {
    const held = deadLetter.row === undefined ? undefined : this.#held.get(deadLetter.row);
    // The tombstone of an asset that the SIEM never had is not for it.
    if (!held) return deadLetter.deleted;
    const content = this.#contentOf(held);
    // The notice of this same dead letter.
    if (held.kind === 'oversize' && content === deadLetter.content) return false;
    if (deadLetter.stream === 'dns-blocks') return content === deadLetter.content;
    return this.#orderOf(held) >= this.#versions.orderAt(deadLetter.row!, deadLetter.position, deadLetter.content);
  }

  /** @param key of the dead letter that the sender redrove last in the event's stream @returns it, if the event is of it */
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

  #check(event: ReceivedEvent, deadLetter: DeadLetter): void {
    const held = this.#held.get(deadLetter.row!);
    const isNewest = held === undefined || greatestSequence(event, held);
    if (isNewest && held && this.#orderOf(held) > this.#versions.lastOrder(deadLetter.row!, deadLetter.content)) {
      this.#breach(`A dead letter overrides what is newer: ${event.line} after ${held.line}`);
    }
    const revision = `${this.#removals.get(deadLetter.row!)} ${deadLetter.body}`;
    const eventId = this.#sentAs.get(revision) ?? event.eventId;
    if (isNewest && eventId !== event.eventId) this.#breach(`A dead letter under two event_ids: ${event.line}`);
    this.#sentAs.set(revision, eventId);
  }

  /** The outcome that the operator gets for each dead letter must be true. */
  reported(outcomes: readonly RedriveOutcome[], since: number): void {
    for (const { key, outcome } of outcomes) {
      if (outcome === 'kept' || (this.#removedAt.get(key) ?? NEVER) >= since) continue;
      this.#breach(`A dead letter reported as ${outcome} was not deleted: ${key}`);
    }
  }

  /** The SIEM lost what it had of the stream. */
  forget(stream: StreamName): void {
    for (const row of this.#held.keys()) if (row.startsWith(`${stream} `)) this.#held.delete(row);
    for (const version of this.#kept) if (version.startsWith(`${stream} `)) this.#kept.delete(version);
  }

  #contentOf(event: ReceivedEvent): string | undefined {
    const key = deadLetterOf(event);
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
