/**
 * Holds the lines that reached a SIEM, in whatever order, against what the API would answer now.
 */
import { STREAMS } from '../../lambda/streams.ts';
import type { Truth } from '../../local/api-simulator/truth.ts';
import { canonicalContent } from '../../local/rows/lossless.ts';

/** The event that holds for a row: the one with the greatest sequence. */
export interface Held {
  readonly kind: string;
  readonly stream: string;
  readonly id: string;
  /** See lossless.ts; absent where the event carries no row. */
  readonly content: string | undefined;
  readonly line: string;
}

interface ReceivedEvent extends Held {
  readonly eventId: string;
  readonly sequence: string;
}

interface Evidence {
  readonly lines: readonly string[];
  readonly truth: Truth;
}

export interface Result {
  /** A sentence each. */
  readonly breaches: readonly string[];
  /** Events with an `event_id` that was sent before. */
  readonly repeats: number;
}

export function check({ lines, truth }: Evidence): Result {
  const inOrder = lines.map(readLine).sort((one, other) => (one.sequence < other.sequence ? -1 : 1));
  const copy = new Map<string, Held>();
  const eventIds = new Set<string>();
  const bySequence = new Map<string, string>();
  const breaches: string[] = [];
  let repeats = 0;
  for (const event of inOrder) {
    const { eventId, sequence, line } = event;
    const namesake = bySequence.get(sequence);
    if (eventIds.has(eventId)) repeats++;
    if (namesake !== undefined && namesake !== line)
      breaches.push(`Two events have one sequence: ${namesake} and ${line}`);
    copy.set(keyOf(event), event);
    eventIds.add(eventId);
    bySequence.set(sequence, line);
  }
  return { breaches: [...unlikeTruth(copy, truth), ...breaches], repeats };
}

function readLine(line: string): ReceivedEvent {
  const { event_id: eventId, sequence, kind, stream, id } = JSON.parse(line);
  const rowAt = line.indexOf(',"row":');
  const row = rowAt < 0 ? undefined : canonicalContent(line.slice(rowAt + ',"row":'.length, -1));
  return { eventId, sequence, kind, stream, id, content: row, line };
}

export function keyOf({ stream, id }: Pick<Held, 'stream' | 'id'>): string {
  return `${stream} ${id}`;
}

/**
 * @returns a sentence for each row that the copy has otherwise: it must equal the truth to the last
 * digit, positions aside, and hold nothing else
 */
export function unlikeTruth(copy: ReadonlyMap<string, Held>, truth: Truth): string[] {
  const left = new Map(copy);
  const breaches: string[] = [];
  for (const { name: stream, tombstones, kind: kindOfRow } of STREAMS) {
    for (const [id, row] of truth[stream]) {
      const key = keyOf({ stream, id });
      const held = copy.get(key);
      left.delete(key);
      const isRemoved = tombstones && JSON.parse(row).deleted === true;
      // The tombstone of an asset that the SIEM never had, or has as withdrawn, is not for it.
      if (isRemoved && (!held || held.kind === 'withdrawn')) continue;
      const isRight = held?.content === canonicalContent(row) && held.kind === (isRemoved ? 'tombstone' : kindOfRow);
      if (!isRight) breaches.push(`${key} is ${held?.line ?? 'missing'} and should be ${row}`);
    }
  }
  const ghosts = [...left].filter(([, { kind }]) => kind !== 'withdrawn');
  return [...breaches, ...ghosts.map(([key, { line }]) => `${key} is a ghost: ${line}`)];
}
