/** The envelope, the connector's own format of event lines: docs/events.md describes it, docs/event.schema.json holds it. */
import type { Removal } from '../ports.ts';
import type { Stream } from '../streams.ts';
import type { EventContext, EventFormat, Sending } from './event-format.ts';
import { oversizeEventId, rowEventId, withdrawnEventId } from './event-id.ts';
import type { Row } from './row.ts';

/** What Firehose takes as one record, in bytes before base64, line end included. */
export const MAX_LINE_BYTES = 1_024_000;

/** One JSON line that carries the row's text as the API sent it. */
export function rowLine(sending: Sending, context: EventContext): string {
  const { row, stream, sequence } = sending;
  const kind = row.deleted ? 'tombstone' : stream.kind;
  const eventId = rowEventId(sending, context);
  return `${envelopeHead(eventId, sequence, kind, stream, row, context)}${parentMember(row.parent)},"row":${row.text}}`;
}

/** Stands in for a row whose own line exceeds what Firehose takes; it points to the row's dead letter. */
export function oversizeLine(sending: Sending, context: EventContext, deadLetter: string): string {
  const { row, stream, sequence } = sending;
  const eventId = oversizeEventId(sending, context);
  const head = envelopeHead(eventId, sequence, 'oversize', stream, row, context);
  return `${head}${parentMember(row.parent)},"dead_letter":${JSON.stringify(deadLetter)}}`;
}

/** Tells the SIEM that a row vanished with its owner. The same tombstone withdraws a row under the same `event_id`. */
export function withdrawnLine(
  id: string,
  tombstone: Removal,
  stream: Stream,
  sequence: string,
  context: EventContext,
): string {
  const eventId = withdrawnEventId(id, tombstone, stream, context);
  const subject = { id, time: tombstone.deletedAt, position: tombstone.position };
  return `${envelopeHead(eventId, sequence, 'withdrawn', stream, subject, context)}${parentMember(tombstone.id)}}`;
}

export const envelope: EventFormat = { row: rowLine, oversize: oversizeLine, withdrawn: withdrawnLine };

export function exceedsRecord(line: string): boolean {
  // A UTF-16 unit takes three bytes at most, so most lines need no count.
  return line.length * 3 >= MAX_LINE_BYTES && Buffer.byteLength(line) + 1 > MAX_LINE_BYTES;
}

type Subject = Pick<Row, 'id' | 'time' | 'position'>;

function envelopeHead(
  eventId: string,
  sequence: string,
  kind: string,
  stream: Stream,
  subject: Subject,
  { connector, forwardedAt }: EventContext,
): string {
  return (
    `{"event_id":"${eventId}","sequence":"${sequence}","kind":"${kind}","stream":"${stream.name}",` +
    `"id":${JSON.stringify(subject.id)},"time":${JSON.stringify(subject.time ?? null)},` +
    `"stream_position":${subject.position ?? 'null'},"connector":${JSON.stringify(connector)},` +
    `"forwarded_at":"${forwardedAt}"`
  );
}

function parentMember(parent: string | undefined): string {
  return parent === undefined ? '' : `,"asset_id":${JSON.stringify(parent)}`;
}
