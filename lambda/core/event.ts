/**
 * Writes the lines that the SIEM reads, and their `event_id`. docs/events.md describes them, and
 * docs/event.schema.json specifies them.
 */
import type { DeadLetter, Hash } from '../ports.ts';
import type { NamedStream } from '../streams.ts';
import type { Row } from './row.ts';

export interface EventContext {
  readonly connector: string;
  /** Time at which the row was decided, in ISO 8601. */
  readonly forwardedAt: string;
  /** Random id that was created together with the state table. */
  readonly tableId: string;
  readonly hash: Hash;
}

/** A row for which an event is sent. */
export interface RowEvent {
  readonly row: Row;
  readonly stream: NamedStream;
  readonly sequence: string;
  /**
   * Whether the event repeats the last event of its row, so that the SIEM does not forget the row.
   */
  readonly isRefresh?: boolean;
}

/**
 * Reason for the withdrawal of a row that did not disappear with its parent: the filter excludes
 * the row, or two complete walks did not list it. A withdrawal that is sent again has the reason
 * `not-listed`.
 */
export type WithdrawalReason = 'filtered' | 'not-listed';

/** An event that tells the SIEM to forget a row that it has received. */
export interface Withdrawal {
  readonly stream: NamedStream;
  readonly sequence: string;
  readonly subject: Subject;
  readonly parent: string | undefined;
  /** Reason for the withdrawal. Absent when the row disappeared with its parent. */
  readonly reason?: WithdrawalReason | undefined;
}

/** Largest record that Firehose accepts, in bytes before base64, line end included. */
export const MAX_LINE_BYTES = 1_024_000;

/**
 * Writes an event as one line of JSON, without a line end. The line contains the row's text as the
 * API sent it.
 */
export function rowLine(event: RowEvent, context: EventContext): string {
  const { row, stream, sequence } = event;
  const kind = row.deleted ? 'tombstone' : stream.kind;
  const head = envelopeHead({ eventId: rowEventId(event, kind, context), sequence, kind, stream }, row, context);
  return `${head}${parentMember(row.parent)}${refreshMember(event)},"row":${row.text}}`;
}

/**
 * Writes the notice that replaces a row whose own line exceeds the size of a record. It points to
 * the row's dead letter.
 */
export function oversizeLine(event: RowEvent, context: EventContext, deadLetter: string): string {
  const { row, stream, sequence } = event;
  const eventId = rowEventId(event, 'oversize', context);
  const head = envelopeHead({ eventId, sequence, kind: 'oversize', stream }, row, context);
  return `${head}${parentMember(row.parent)}${refreshMember(event)},"dead_letter":${JSON.stringify(deadLetter)}}`;
}

export function withdrawnLine(
  { sequence, stream, subject, parent, reason }: Withdrawal,
  context: EventContext,
): string {
  const kind = 'withdrawn';
  const eventId = eventIdOf({ kind, stream, sequence, id: subject.id, content: reason ?? 'removed' }, context);
  const head = envelopeHead({ eventId, sequence, kind, stream }, subject, context);
  return `${head}${parentMember(parent)}${reason === undefined ? '' : `,"reason":"${reason}"`}}`;
}

/**
 * Writes the line of a row. If the row is too large for a record, the line is a notice that points
 * to the row's dead letter, which is returned as well.
 *
 * @param locate returns the place where the dead letter will be stored
 */
export function eventLine(
  event: RowEvent,
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
  // A UTF-16 unit takes at most three bytes, so the bytes of most lines need not be counted.
  return line.length * 3 >= MAX_LINE_BYTES && Buffer.byteLength(line) + 1 > MAX_LINE_BYTES;
}

/** Members of an event that describe its row, apart from the content. */
type Subject = Pick<Row, 'id' | 'time' | 'position'>;

interface Head {
  readonly eventId: string;
  readonly sequence: string;
  readonly kind: string;
  readonly stream: NamedStream;
}

function envelopeHead(
  { eventId, sequence, kind, stream }: Head,
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

function refreshMember({ isRefresh }: RowEvent): string {
  return isRefresh ? ',"refresh":true' : '';
}

const EVENT_ID_LENGTH = 32;

/**
 * Computes the `event_id` of a row. An immutable row has only one event, however often it is read.
 * The id of this event therefore follows from the content of the row, without `stream_position` but
 * with the members that `omit` leaves out. A row that can change has a new event for each change,
 * so the id of the event follows from `sequence`.
 */
function rowEventId({ row, stream, sequence }: RowEvent, kind: string, context: EventContext): string {
  const { hash, connector } = context;
  if (stream.hasRowStates) return eventIdOf({ kind, stream, sequence, id: row.id, content: row.rowHash }, context);
  return hash([connector, stream.name, kind, row.wholeHash].join('\n')).slice(0, EVENT_ID_LENGTH);
}

interface EventIdentity {
  readonly kind: string;
  readonly stream: NamedStream;
  readonly sequence: string;
  readonly id: string;
  readonly content: string;
}

/**
 * The hash includes the id of the state table, because two connectors that begin in the same second
 * have equal sequences. It includes the content, because a table that was restored after a clock
 * ran ahead may use a sequence again.
 */
function eventIdOf({ kind, stream, sequence, id, content }: EventIdentity, { hash, tableId, connector }: EventContext) {
  const identity = [tableId, connector, stream.name, kind, sequence, content, id];
  return hash(identity.join('\n')).slice(0, EVENT_ID_LENGTH);
}
