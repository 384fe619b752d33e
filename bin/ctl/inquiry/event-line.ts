/** Reads a delivered line as far as an inquiry needs it: the connector's own envelope, or OCSF. The row stays text. */

export interface ReadEvent {
  /** Whose event it is. */
  readonly connector: string;
  readonly stream: string;
  readonly id: string;
  readonly sequence: string;
  /** Of the envelope its `kind`, of OCSF the class. */
  readonly kind: string;
  /** Absent on events without a row: a withdrawal, or the notice of an oversize row. */
  readonly row: string | undefined;
}

const ROW_MEMBER = ',"row":';
const SEQUENCE_DIGITS = 20;

/** What a line that bears this sequence must contain; either. */
export function needlesOf(sequence: string): readonly string[] {
  return [`"sequence":"${sequence}"`, `"sequence":${sequence.replace(/^0+(?=\d)/, '')},`];
}

/** @returns nothing for a line that is no event of this connector's */
export function readEvent(line: string): ReadEvent | undefined {
  return line.startsWith('{"class_uid":') ? readOcsf(line) : readEnvelope(line);
}

/** The members before the row hold no objects, so the first match is the row's name. */
function readEnvelope(line: string): ReadEvent | undefined {
  const at = line.indexOf(ROW_MEMBER);
  const head = parsed(at < 0 ? line : `${line.slice(0, at)}}`);
  const { connector, stream, id, sequence, kind } = head ?? {};
  if (typeof stream !== 'string' || typeof id !== 'string' || typeof sequence !== 'string') return undefined;
  const row = at < 0 ? undefined : line.slice(at + ROW_MEMBER.length, -1);
  return { connector: String(connector), stream, id, sequence, kind: String(kind), row };
}

/** Its sequence is an integer beyond what a number holds, so the digits are taken from the text. */
function readOcsf(line: string): ReadEvent | undefined {
  const event = parsed(line);
  const metadata = event?.['metadata'] as Record<string, unknown> | undefined;
  const digits = /"sequence":(\d+)/.exec(line)?.[1];
  const { tenant_uid: connector, log_name: stream, original_event_uid: id } = metadata ?? {};
  if (typeof stream !== 'string' || typeof id !== 'string' || !digits) return undefined;
  const row = event?.['raw_data'];
  return {
    connector: String(connector),
    stream,
    id,
    sequence: digits.padStart(SEQUENCE_DIGITS, '0'),
    kind: `class ${event?.['class_uid']}`,
    row: typeof row === 'string' ? row : undefined,
  };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
