/** The lines that the SIEM reads, and their deterministic `event_id`. docs/events.md describes them, docs/event.schema.json specifies them. */
import type { DeadLetter, Hash, Removal } from '../ports.ts';
import type { Stream, StreamName } from '../streams.ts';
import type { Row } from './row.ts';

export interface EventContext {
  readonly connector: string;
  /** ISO 8601. */
  readonly forwardedAt: string;
  readonly hash: Hash;
}

/** A row on its way to the SIEM. */
export interface RowEvent {
  readonly row: Row;
  readonly stream: Stream;
  readonly sequence: string;
  /** See RowState: a row that comes back after a withdrawal is another delivery, even at the position that it had. */
  readonly revision: string;
  /** `sequence` of the event that this one repeats, so that the SIEM does not forget the row. */
  readonly refreshOf?: string;
}

/** Why a row is withdrawn that did not disappear with its parent: the filter excludes it, or the API does not know it any more. */
export type WithdrawalReason = 'filtered' | 'not-found';

/** Says that a row that the SIEM has is no longer for it. */
export interface Withdrawal {
  readonly eventId: string;
  readonly stream: Stream;
  readonly sequence: string;
  readonly subject: Subject;
  readonly parent: string | undefined;
  /** Absent: the row disappeared with its parent. */
  readonly reason?: WithdrawalReason;
}

/** What Firehose takes as one record, in bytes before base64, line end included. */
export const MAX_LINE_BYTES = 1_024_000;

/** One JSON line, without a line end, that carries the row's text as the API sent it. */
export function rowLine(event: RowEvent, context: EventContext): string {
  const { row, stream, sequence } = event;
  const kind = row.deleted ? 'tombstone' : stream.kind;
  const eventId = rowEventId(event, context);
  const head = envelopeHead(eventId, sequence, kind, stream, row, context);
  return `${head}${parentMember(row.parent)}${refreshMember(event)},"row":${row.text}}`;
}

/** Stands in for a row whose own line exceeds what Firehose takes; it points to the row's dead letter. */
export function oversizeLine(event: RowEvent, context: EventContext, deadLetter: string): string {
  const { row, stream, sequence } = event;
  const eventId = oversizeEventId(event, context);
  const head = envelopeHead(eventId, sequence, 'oversize', stream, row, context);
  return `${head}${parentMember(row.parent)}${refreshMember(event)},"dead_letter":${JSON.stringify(deadLetter)}}`;
}

export function withdrawnLine(withdrawal: Withdrawal, context: EventContext): string {
  const { eventId, sequence, stream, subject, parent, reason } = withdrawal;
  const head = envelopeHead(eventId, sequence, 'withdrawn', stream, subject, context);
  return `${head}${parentMember(parent)}${reason === undefined ? '' : `,"reason":"${reason}"`}}`;
}

/**
 * The line of a row. Of one that is too large for a record: the notice that points to its dead letter, and the dead letter.
 *
 * @param locate where the dead letter will be stored
 */
export function eventLine(
  event: RowEvent & { readonly stream: { readonly name: StreamName } },
  context: EventContext,
  locate: (deadLetter: DeadLetter) => string,
): { readonly line: string; readonly deadLetter?: DeadLetter } {
  const line = rowLine(event, context);
  if (!exceedsRecord(line)) return { line };
  const { row, stream } = event;
  const deadLetter: DeadLetter = { stream: stream.name, reason: 'oversize', row: row.text, rowHash: row.rowHash };
  return { line: oversizeLine(event, context, locate(deadLetter)), deadLetter };
}

export function exceedsRecord(line: string): boolean {
  // A UTF-16 unit takes three bytes at most, so most lines need no count.
  return line.length * 3 >= MAX_LINE_BYTES && Buffer.byteLength(line) + 1 > MAX_LINE_BYTES;
}

/** What an event says of its row beside the content. */
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

function refreshMember({ refreshOf }: RowEvent): string {
  return refreshOf === undefined ? '' : ',"refresh":true';
}

const EVENT_ID_LENGTH = 32;

function rowEventId(event: RowEvent, context: EventContext): string {
  const { row, revision, refreshOf } = event;
  if (refreshOf !== undefined) return refreshEventId(event, refreshOf, context);
  const { hash } = context;
  const identity = revision === '' ? row.versionHash : hash(`${row.versionHash}\n${revision}`);
  return identity.slice(0, EVENT_ID_LENGTH);
}

/**
 * Differs from the event's first id, or a SIEM that drops known ids would drop it. Made without the position, which may change between a
 * killed run and the next.
 */
function refreshEventId({ row, stream, revision }: RowEvent, refreshOf: string, { hash }: EventContext): string {
  return hash(`refresh\n${stream.name}\n${row.rowHash}\n${revision}\n${refreshOf}`).slice(0, EVENT_ID_LENGTH);
}

function oversizeEventId(event: RowEvent, context: EventContext): string {
  const { row, revision, refreshOf } = event;
  if (refreshOf !== undefined) return refreshEventId(event, refreshOf, context);
  const { hash } = context;
  return hash(`oversize\n${row.versionHash}\n${revision}`).slice(0, EVENT_ID_LENGTH);
}

/** Of a row that the filter of its stream excludes. */
export function filteredWithdrawal(
  { row, stream, sequence, revision }: Pick<RowEvent, 'row' | 'stream' | 'sequence' | 'revision'>,
  { hash }: EventContext,
): Withdrawal {
  const eventId = hash(`filtered\n${row.versionHash}\n${revision}`).slice(0, EVENT_ID_LENGTH);
  return { eventId, stream, sequence, subject: row, parent: row.parent, reason: 'filtered' };
}

export interface CascadedRow {
  readonly id: string;
  /** Of the parent that the row disappeared with. */
  readonly removal: Removal;
  readonly stream: Stream;
  readonly sequence: string;
}

/** One `event_id` per row and tombstone: a withdrawal that is repeated after a crash has the same. */
export function cascadedWithdrawal({ id, removal, stream, sequence }: CascadedRow, { hash }: EventContext): Withdrawal {
  const { id: parent, position, deletedAt: time } = removal;
  const identity = [stream.name, 'withdrawn', JSON.stringify(id), JSON.stringify(parent), position, time];
  const eventId = hash(identity.join('\n')).slice(0, EVENT_ID_LENGTH);
  return { eventId, stream, sequence, subject: { id, time, position }, parent };
}

/** Of a row that the API does not know any more. */
export function missingWithdrawal(
  row: Omit<CascadedRow, 'removal'> & { readonly parent: string | undefined; readonly revision: number },
  { hash, forwardedAt }: EventContext,
): Withdrawal {
  const { id, stream, sequence, parent, revision } = row;
  const identity = ['not-found', stream.name, JSON.stringify(id), revision];
  const eventId = hash(identity.join('\n')).slice(0, EVENT_ID_LENGTH);
  const subject = { id, time: forwardedAt, position: undefined };
  return { eventId, stream, sequence, subject, parent, reason: 'not-found' };
}
