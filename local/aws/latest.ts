import type { DeliveredEvent } from './delivered.ts';

type Ordered = Pick<DeliveredEvent, 'stream' | 'id' | 'sequence'>;

/** The last event of each id, by stream. */
export type Latest<E extends Ordered> = Map<string, Map<string, E>>;

/**
 * The SIEM's rule: of all events of one (`stream`, `id`), the one with the greatest `sequence` is the truth. Sequences have
 * one width, so they compare as text; the order in which the events arrive does not matter.
 */
export async function latest<E extends Ordered>(events: Iterable<E> | AsyncIterable<E>): Promise<Latest<E>> {
  const streams: Latest<E> = new Map();
  for await (const event of events) {
    const ids = streams.get(event.stream) ?? new Map<string, E>();
    streams.set(event.stream, ids);
    const known = ids.get(event.id);
    if (!known || event.sequence > known.sequence) ids.set(event.id, event);
  }
  return streams;
}
