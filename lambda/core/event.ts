/** The event lines that the SIEM reads: docs/events.md describes them, docs/event.schema.json holds them. */
import type { Hash, Tombstone } from '../ports.ts';
import type { Stream } from '../streams.ts';
import type { Row } from './row.ts';

export interface EventContext {
  readonly connector: string;
  /** ISO 8601. */
  readonly forwardedAt: string;
  readonly hash: Hash;
}

/** What Firehose takes as one record, in bytes before base64, line end included. */
export const MAX_LINE_BYTES = 1_024_000;
const EVENT_ID_LENGTH = 32;

/** A row on its way to the SIEM. */
export interface Sending {
  readonly row: Row;
  readonly stream: Stream;
  readonly sequence: string;
  /** See RowState: a row that comes back after a withdrawal is another delivery, even at the position that it had. */
  readonly incarnation: string;
}

/** One JSON line that carries the row's text as the API sent it. */
export function rowLine({ row, stream, sequence, incarnation }: Sending, context: EventContext): string {
  const kind = row.deleted ? 'tombstone' : stream.kind;
  const identity = incarnation === '' ? row.delivery : context.hash(`${row.delivery}\n${incarnation}`);
  const eventId = identity.slice(0, EVENT_ID_LENGTH);
  return `${envelope(eventId, sequence, kind, stream, row, context)}${ownerMember(row.owner)},"row":${row.text}}`;
}

/** Stands in for a row whose own line exceeds what Firehose takes; it points to the row's dead letter. */
export function oversizeLine(
  { row, stream, sequence, incarnation }: Sending,
  context: EventContext,
  letter: string,
): string {
  const eventId = context.hash(`oversize\n${row.delivery}\n${incarnation}`).slice(0, EVENT_ID_LENGTH);
  const head = envelope(eventId, sequence, 'oversize', stream, row, context);
  return `${head}${ownerMember(row.owner)},"dead_letter":${JSON.stringify(letter)}}`;
}

/** Tells the SIEM that a row vanished with its owner. The same tombstone withdraws a row under the same `event_id`. */
export function withdrawnLine(
  id: string,
  tombstone: Tombstone,
  stream: Stream,
  sequence: string,
  context: EventContext,
): string {
  const eventId = withdrawnEventId(id, tombstone, stream, context);
  const subject = { id, time: tombstone.deletedAt, position: tombstone.position };
  return `${envelope(eventId, sequence, 'withdrawn', stream, subject, context)}${ownerMember(tombstone.id)}}`;
}

export function withdrawnEventId(id: string, tombstone: Tombstone, stream: Stream, { hash }: EventContext): string {
  const identity = [stream.name, 'withdrawn', JSON.stringify(id), JSON.stringify(tombstone.id), tombstone.position];
  return hash([...identity, tombstone.deletedAt].join('\n')).slice(0, EVENT_ID_LENGTH);
}

export function exceedsRecord(line: string): boolean {
  // A UTF-16 unit takes three bytes at most, so most lines need no count.
  return line.length * 3 >= MAX_LINE_BYTES && Buffer.byteLength(line) + 1 > MAX_LINE_BYTES;
}

type Subject = Pick<Row, 'id' | 'time' | 'position'>;

function envelope(
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

function ownerMember(owner: string | undefined): string {
  return owner === undefined ? '' : `,"asset_id":${JSON.stringify(owner)}`;
}
