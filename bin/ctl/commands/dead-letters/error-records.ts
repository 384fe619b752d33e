/**
 * Firehose's error output: a JSON object per line and record, with the record's bytes in base64.
 *
 *     {"attemptsMade":5,"arrivalTimestamp":1594265943615,"errorCode":"HttpEndpoint.DestinationException",
 *      "errorMessage":"…","attemptEndingTimestamp":1594266081318,"rawData":"…", …}
 *
 * The names of members differ by destination: AWS's documentation also shows `ErrorCode` and `lastErrorCode`.
 */
import { readEvent } from '../../delivered-event.ts';
import { jsonObject } from '../../json-object.ts';

export interface ErrorRecord {
  readonly code: string;
  readonly message: string;
  /** Milliseconds since 1970, if known. */
  readonly arrived: number | undefined;
  /** Its events. */
  readonly lines: readonly string[];
}

/** @returns undefined for any other line */
export function readErrorRecord(line: string): ErrorRecord | undefined {
  const members = jsonObject(line);
  const raw = members?.['rawData'];
  if (!members || typeof raw !== 'string') return undefined;
  const text = (name: 'Code' | 'Message') =>
    String(members[`error${name}`] ?? members[`Error${name}`] ?? members[`lastError${name}`] ?? '');
  const arrived = Number(members['arrivalTimestamp']);
  return {
    code: text('Code'),
    message: text('Message'),
    arrived: Number.isFinite(arrived) && arrived > 0 ? arrived : undefined,
    lines: linesOf(Buffer.from(raw, 'base64').toString()),
  };
}

export interface ErrorObject {
  readonly records: readonly ErrorRecord[];
  /** Number of lines that cannot be read. */
  readonly unreadable: number;
}

/** A backup contains the events themselves, without a reason. */
export function readErrorObject(content: string): ErrorObject {
  const records: ErrorRecord[] = [];
  let unreadable = 0;
  for (const line of linesOf(content)) {
    const record =
      readErrorRecord(line) ?? (readEvent(line) && { code: '', message: '', arrived: undefined, lines: [line] });
    if (record) records.push(record);
    else unreadable++;
  }
  return { records, unreadable };
}

/** The events of an object, or why they must not be sent again. */
export function eventsOf(
  { records, unreadable }: ErrorObject,
  connector: string,
): { lines: string[] } | { why: string } {
  const lines = records.flatMap(record => record.lines);
  const events = lines.map(readEvent);
  if (unreadable > 0) return { why: `${unreadable} of its lines are not error records of Firehose` };
  if (lines.length === 0) return { why: 'it has no event' };
  const foreign = events.find(event => event && event.connector !== connector);
  if (foreign) return { why: `it has events of connector ${foreign.connector}` };
  return events.every(event => event) ? { lines } : { why: 'it has lines that are not events of this connector' };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line.trim() !== '');
}
