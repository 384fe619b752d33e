/**
 * Reads Firehose's error output. Each line is a JSON object about one record, with the record's
 * bytes in base64:
 *
 *     {"attemptsMade":5,"arrivalTimestamp":1594265943615,"errorCode":"HttpEndpoint.DestinationException",
 *      "errorMessage":"…","attemptEndingTimestamp":1594266081318,"rawData":"…", …}
 */
import { parseJsonObject } from '../../json-object.ts';

type Events = { readonly lines: readonly string[] } | { readonly why: string };

/**
 * Reads the events of an object, or says why they must not be sent again. An object of Firehose's
 * backup contains the events themselves instead of error records.
 */
export function eventsInErrorRecords(content: string, connector: string): Events {
  const records = linesOf(content).map(line => {
    const raw = parseJsonObject(line)?.['rawData'];
    if (typeof raw === 'string') return linesOf(Buffer.from(raw, 'base64').toString());
    return connectorOf(line) === undefined ? undefined : [line];
  });
  const lines = records.flatMap(events => events ?? []);
  const connectors = lines.map(connectorOf);

  const unreadable = records.filter(events => !events).length;
  if (unreadable > 0) return { why: `${unreadable} of its lines are not error records of Firehose` };
  if (lines.length === 0) return { why: 'it has no event' };
  if (connectors.includes(undefined)) return { why: 'it has lines that are not events of this connector' };
  const foreign = connectors.find(each => each !== connector);
  return foreign === undefined ? { lines } : { why: `it has events of connector ${foreign}` };
}

/** @returns undefined for a line that is not an event */
function connectorOf(line: string): string | undefined {
  const { connector, stream, id, sequence } = parseJsonObject(line) ?? {};
  const isEvent = [connector, stream, id, sequence].every(member => typeof member === 'string');
  return isEvent ? String(connector) : undefined;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line.trim() !== '');
}
