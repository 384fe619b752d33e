/**
 * Firehose's error output: a JSON object per line and record, with the record's bytes in base64.
 *
 *     {"attemptsMade":5,"arrivalTimestamp":1594265943615,"errorCode":"HttpEndpoint.DestinationException",
 *      "errorMessage":"…","attemptEndingTimestamp":1594266081318,"rawData":"…", …}
 *
 */
import { jsonObject } from '../../json-object.ts';

/** @returns its events, or undefined for any other line */
function readErrorRecord(line: string): string[] | undefined {
  const raw = jsonObject(line)?.['rawData'];
  return typeof raw === 'string' ? linesOf(Buffer.from(raw, 'base64').toString()) : undefined;
}

export interface ErrorObject {
  /** Its events. */
  readonly lines: readonly string[];
  /** Number of lines that cannot be read. */
  readonly unreadable: number;
}

/** A backup contains the events themselves, without a reason. */
export function readErrorObject(content: string): ErrorObject {
  const read = linesOf(content).map(
    line => readErrorRecord(line) ?? (connectorOf(line) === undefined ? undefined : [line]),
  );
  return { lines: read.flatMap(lines => lines ?? []), unreadable: read.filter(lines => !lines).length };
}

/** The events of an object, or why they must not be sent again. */
export function eventsOf(
  { lines, unreadable }: ErrorObject,
  connector: string,
): { lines: readonly string[] } | { why: string } {
  const connectors = lines.map(connectorOf);
  if (unreadable > 0) return { why: `${unreadable} of its lines are not error records of Firehose` };
  if (lines.length === 0) return { why: 'it has no event' };
  if (connectors.includes(undefined)) return { why: 'it has lines that are not events of this connector' };
  const foreign = connectors.find(each => each !== connector);
  return foreign === undefined ? { lines } : { why: `it has events of connector ${foreign}` };
}

/** @returns undefined for a line that is not an event */
function connectorOf(line: string): string | undefined {
  const { connector, stream, id, sequence } = jsonObject(line) ?? {};
  const isEvent = [connector, stream, id, sequence].every(member => typeof member === 'string');
  return isEvent ? String(connector) : undefined;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line.trim() !== '');
}
