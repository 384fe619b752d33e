/** What a SIEM makes of the lines that reached it, in whatever order. */
import { classesOf, withdrawalClass } from '../../lambda/core/ocsf/classes.ts';
import type { StreamName } from '../../lambda/streams.ts';
import { STREAMS } from '../../lambda/streams.ts';
import { content } from '../../local/siem/lossless.ts';

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
  if (isOcsf(line)) return receiveOcsf(line, at);
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

/** What a SIEM reads of a line in OCSF: the same as of one in the envelope. */

export function isOcsf(line: string): boolean {
  return line.startsWith('{"class_uid":');
}

export function receiveOcsf(line: string, at: number): ReceivedEvent {
  const event = JSON.parse(line);
  const { metadata, raw_data: row } = event;
  return {
    eventId: metadata.uid,
    // From the text: the number may have more digits than a double keeps.
    sequence: /"sequence":(\d+)/.exec(line)![1]!.padStart(20, '0'),
    kind: kindOf(event),
    stream: metadata.log_name as StreamName,
    id: metadata.original_event_uid,
    position: event.unmapped?.stream_position ?? null,
    content: row === undefined ? undefined : content(row),
    at,
    line,
    refresh: metadata.labels?.includes('refresh') === true,
    parent: event.resources?.[0].uid,
  };
}

/** By class and activity, from the facts of the streams. */
const KINDS = new Map(
  STREAMS.flatMap(stream => {
    const { live, removed, withdrawn } = classesOf(stream);
    const kinds = [
      [live, stream.kind],
      [removed, 'tombstone'],
      [withdrawn, 'withdrawn'],
      [stream.hasRowStates ? withdrawalClass(stream, 'filtered') : undefined, 'withdrawn'],
    ] as const;
    return kinds.flatMap(([each, kind]) =>
      each
        ? [each.activity, each.update ?? each.activity].map(activity => [`${each.uid} ${activity}`, kind] as const)
        : [],
    );
  }),
);

function kindOf(event: { class_uid: number; activity_id: number; metadata: { is_truncated?: boolean } }): string {
  return event.metadata.is_truncated ? 'oversize' : KINDS.get(`${event.class_uid} ${event.activity_id}`)!;
}
