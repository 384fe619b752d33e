/**
 * What Firehose writes when it gives up: a JSON object a line, a record each, with the record's bytes in base64.
 *
 *     {"attemptsMade":5,"arrivalTimestamp":1594265943615,"errorCode":"HttpEndpoint.DestinationException",
 *      "errorMessage":"…","attemptEndingTimestamp":1594266081318,"rawData":"…", …}
 *
 * The members' names differ by destination and age: AWS's documents also show `ErrorCode` and `lastErrorCode`.
 */
import { type ReadEvent, readEvent } from '../inquiry/event-line.ts';

export interface ErrorRecord {
  readonly code: string;
  readonly message: string;
  /** Milliseconds since 1970; nothing where it is not told. */
  readonly arrived: number | undefined;
  /** The events of the record. */
  readonly lines: readonly string[];
}

/** @returns nothing for a line that is no such record @throws nothing */
export function readErrorRecord(line: string): ErrorRecord | undefined {
  const members = parsed(line);
  const raw = members?.['rawData'];
  if (!members || typeof raw !== 'string') return undefined;
  const text = (name: string) =>
    String(
      members[name] ??
        members[name[0]!.toUpperCase() + name.slice(1)] ??
        members[`last${name[0]!.toUpperCase()}${name.slice(1)}`] ??
        '',
    );
  const arrived = Number(members['arrivalTimestamp']);
  return {
    code: text('errorCode'),
    message: text('errorMessage'),
    arrived: Number.isFinite(arrived) && arrived > 0 ? arrived : undefined,
    lines: linesOf(Buffer.from(raw, 'base64').toString()),
  };
}

export interface ErrorObject {
  readonly records: readonly ErrorRecord[];
  /** Lines that are not understood. */
  readonly strange: number;
}

/** A backup may hold the events as they are, without a word of why. */
export function readErrorObject(content: string): ErrorObject {
  const records: ErrorRecord[] = [];
  let strange = 0;
  for (const line of linesOf(content)) {
    const record =
      readErrorRecord(line) ?? (readEvent(line) && { code: '', message: '', arrived: undefined, lines: [line] });
    if (record) records.push(record);
    else strange++;
  }
  return { records, strange };
}

/** The events of an object, or why they must not be sent again. @param connector whose events they must be */
export function eventsOf({ records, strange }: ErrorObject, connector: string): { lines: string[] } | { why: string } {
  const lines = records.flatMap(record => record.lines);
  const events = lines.map(readEvent);
  if (strange > 0) return { why: `${strange} of its lines are no error record of Firehose` };
  if (lines.length === 0) return { why: 'it holds no event' };
  const foreign = events.find((event): event is ReadEvent => event !== undefined && event.connector !== connector);
  if (foreign) return { why: `it holds events of connector ${foreign.connector}` };
  return events.every(event => event) ? { lines } : { why: 'it holds lines that are no event of this connector' };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line.trim() !== '');
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
