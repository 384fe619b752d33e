/** What a SIEM makes of the lines that reached it, in whatever order. */
import type { StreamName } from '../../lambda/streams.ts';
import { content } from '../../local/rows/lossless.ts';

export interface ReceivedEvent {
  readonly eventId: string;
  readonly sequence: string;
  readonly kind: string;
  readonly stream: StreamName;
  readonly id: string;
  readonly position: string | null;
  /** See lossless.ts; absent where the event carries no row. */
  readonly content: string | undefined;
  /** Virtual time of arrival. */
  readonly at: number;
  readonly line: string;
  /** Whether it says that it repeats what the SIEM has. */
  readonly refresh: boolean;
  /** Asset of a threat, where the event names it. */
  readonly parent: string | undefined;
  /** Key of the dead letter that it was sent from, where it was. */
  readonly deadLetter?: string | undefined;
}

export function receive(line: string, at: number): ReceivedEvent {
  const event = JSON.parse(line);
  const rowAt = line.indexOf(',"row":');
  return {
    eventId: event.event_id,
    sequence: event.sequence,
    kind: event.kind,
    stream: event.stream,
    id: event.id,
    position: event.stream_position,
    content: rowAt < 0 ? undefined : content(line.slice(rowAt + ',"row":'.length, -1)),
    at,
    line,
    refresh: event.refresh === true,
    parent: event.asset_id,
  };
}

export type Rule = (one: ReceivedEvent, other: ReceivedEvent) => boolean;

/** The documented rule: of all events of one stream and id, the greatest `sequence` is the truth. */
export const greatestSequence: Rule = (one, other) => one.sequence > other.sequence;

export type Copy = Map<string, ReceivedEvent>;

/** @returns by stream and id the event that holds, `newer` deciding, in an order that means nothing: Firehose keeps none. */
export function copyOf(events: readonly ReceivedEvent[], newer: Rule): Copy {
  const copy: Copy = new Map();
  for (const event of events.toSorted((one, other) => (one.eventId < other.eventId ? -1 : 1))) {
    const key = keyOf(event.stream, event.id);
    const held = copy.get(key);
    if (!held || newer(event, held)) copy.set(key, event);
  }
  return copy;
}

export function keyOf(stream: string, id: string): string {
  return `${stream} ${id}`;
}
