/** What a SIEM reads of a line in OCSF: the same as of one in the envelope. */
import type { StreamName } from '../history.ts';
import { content } from './lossless.ts';
import type { ReceivedEvent } from './siem.ts';

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
    parent: event.resources?.[0].uid,
  };
}

const KINDS: Readonly<Record<number, string>> = {
  5001: 'upsert',
  3004: 'tombstone',
  2004: 'upsert',
  4003: 'dns_block',
};

function kindOf(event: { class_uid: number; activity_id: number; metadata: { is_truncated?: boolean } }): string {
  if (event.metadata.is_truncated) return 'oversize';
  return event.class_uid === 2004 && event.activity_id === 99 ? 'withdrawn' : KINDS[event.class_uid]!;
}
