/** A delivered line, in the connector's envelope or in OCSF. */
import { isCounted } from '../../lib/event-kinds.ts';
import { jsonObject } from './json-object.ts';

export interface DeliveredEvent {
  readonly connector: string;
  readonly stream: string;
  readonly id: string;
  readonly eventId: string;
  readonly sequence: string;
  /** `kind` of the envelope, class of OCSF. */
  readonly kind: string;
  /** ISO 8601. */
  readonly forwardedAt: string;
  /** Whether the views count it. They leave out test events, and kinds and formats of a later release. */
  readonly counts: boolean;
  /** As text, undefined for withdrawals and oversize events. */
  readonly row: string | undefined;
}

const ROW_MEMBER = ',"row":';
const SEQUENCE_DIGITS = 20;

/** A line with this sequence contains one of these. */
export function needlesOf(sequence: string): readonly string[] {
  return [`"sequence":"${sequence}"`, `"sequence":${sequence.replace(/^0+(?=\d)/, '')},`];
}

/** @returns undefined for a line that is not an event */
export function readEvent(line: string): DeliveredEvent | undefined {
  return line.startsWith('{"class_uid":') ? readOcsf(line) : readEnvelope(line);
}

/** No member before the row is an object, so the first match is the row. */
function readEnvelope(line: string): DeliveredEvent | undefined {
  const at = line.indexOf(ROW_MEMBER);
  const head = jsonObject(at < 0 ? line : `${line.slice(0, at)}}`);
  const { connector, stream, id, sequence, kind, event_id: eventId, forwarded_at: forwardedAt, format } = head ?? {};
  if (typeof stream !== 'string' || typeof id !== 'string' || typeof sequence !== 'string') return undefined;
  return {
    connector: String(connector),
    stream,
    id,
    eventId: String(eventId),
    sequence,
    kind: String(kind),
    forwardedAt: String(forwardedAt),
    counts: isCounted(String(kind)) && format === undefined,
    row: at < 0 ? undefined : line.slice(at + ROW_MEMBER.length, -1),
  };
}

/** The sequence exceeds a JavaScript number, so the digits are read from the text. */
function readOcsf(line: string): DeliveredEvent | undefined {
  const { metadata, class_uid: kind, raw_data: row } = jsonObject(line) ?? {};
  const members = { ...(metadata as object) } as Readonly<Record<string, unknown>>;
  const {
    tenant_uid: connector,
    log_name: stream,
    original_event_uid: id,
    uid: eventId,
    processed_time: time,
  } = members;
  const digits = /"sequence":(\d+)/.exec(line)?.[1];
  if (typeof stream !== 'string' || typeof id !== 'string' || !digits) return undefined;
  const processed = new Date(Number(time));
  return {
    connector: String(connector),
    stream,
    id,
    eventId: String(eventId),
    sequence: digits.padStart(SEQUENCE_DIGITS, '0'),
    kind: `class ${kind}`,
    forwardedAt: Number.isNaN(processed.getTime()) ? '' : processed.toISOString(),
    counts: kind !== 0,
    row: typeof row === 'string' ? row : undefined,
  };
}
