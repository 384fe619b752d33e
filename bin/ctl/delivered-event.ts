/** A delivered line. */
import { jsonObject } from './json-object.ts';

export interface DeliveredEvent {
  readonly connector: string;
  readonly stream: string;
  readonly id: string;
  readonly eventId: string;
  readonly sequence: string;
  readonly kind: string;
  /** As text, undefined for withdrawals and oversize events. */
  readonly row: string | undefined;
}

const ROW_MEMBER = ',"row":';

/**
 * No member before the row is an object, so the first match is the row.
 *
 * @returns undefined for a line that is not an event
 */
export function readEvent(line: string): DeliveredEvent | undefined {
  const at = line.indexOf(ROW_MEMBER);
  const head = jsonObject(at < 0 ? line : `${line.slice(0, at)}}`);
  const { connector, stream, id, sequence, kind, event_id: eventId } = head ?? {};
  if (typeof stream !== 'string' || typeof id !== 'string' || typeof sequence !== 'string') return undefined;
  return {
    connector: String(connector),
    stream,
    id,
    eventId: String(eventId),
    sequence,
    kind: String(kind),
    row: at < 0 ? undefined : line.slice(at + ROW_MEMBER.length, -1),
  };
}
