/** Holds the lines that reached a SIEM, in whatever order, against what the API would answer now. */
import { STREAMS } from '../../lambda/streams.ts';
import { canonicalContent } from '../../local/rows/lossless.ts';

/** The event that holds for a row: the one with the greatest sequence. */
export interface Held {
  readonly kind: string;
  readonly stream: string;
  readonly id: string;
  /** See lossless.ts; absent where the event carries no row. */
  readonly content: string | undefined;
  readonly line: string;
}

interface ReceivedEvent extends Held {
  readonly eventId: string;
  readonly sequence: string;
}

interface Evidence {
  readonly lines: readonly string[];
  /** Text of `GET …/truth`. */
  readonly truth: string;
  /**
   * Lines of the runs that saved everything and ended by themselves, and how often each line had arrived by then: a run repeats a request that
   * was not answered in time. @default none is known
   */
  readonly completed?: ReadonlyMap<string, number>;
}

export interface Result {
  /** A sentence each. */
  readonly breaches: readonly string[];
  /** Events with an `event_id` that was sent before. */
  readonly repeats: number;
}

export function check({ lines, truth, completed = new Map() }: Evidence): Result {
  const inOrder = lines.map(readLine).sort((one, other) => (one.sequence < other.sequence ? -1 : 1));
  const copy = new Map<string, Held>();
  const byEventId = new Map<string, ReceivedEvent>();
  const bySequence = new Map<string, string>();
  const arrivals = new Map<string, number>();
  const breaches: string[] = [];
  let repeats = 0;
  for (const event of inOrder) {
    const { eventId, sequence, line } = event;
    const [before, namesake] = [byEventId.get(eventId), bySequence.get(sequence)];
    if (before) repeats++;
    const isOtherEvent = before !== undefined && before.line !== line;
    const isExtraArrival = (arrivals.get(line) ?? 0) >= (completed.get(line) ?? Number.POSITIVE_INFINITY);
    if ((isOtherEvent && completed.has(before.line)) || isExtraArrival)
      breaches.push(`Sent again although the run that sent it has completed: ${line}`);
    if (namesake !== undefined && namesake !== line)
      breaches.push(`Two events have one sequence: ${namesake} and ${line}`);
    copy.set(keyOf(event), event);
    byEventId.set(eventId, event);
    bySequence.set(sequence, line);
    arrivals.set(line, (arrivals.get(line) ?? 0) + 1);
  }
  return { breaches: [...unlikeTruth(copy, truth), ...breaches], repeats };
}

function readLine(line: string): ReceivedEvent {
  const { event_id: eventId, sequence, kind, stream, id } = JSON.parse(line);
  const rowAt = line.indexOf(',"row":');
  const row = rowAt < 0 ? undefined : canonicalContent(line.slice(rowAt + ',"row":'.length, -1));
  return { eventId, sequence, kind, stream, id, content: row, line };
}

export function keyOf({ stream, id }: Pick<Held, 'stream' | 'id'>): string {
  return `${stream} ${id}`;
}

/** @returns a sentence for each row that the copy has otherwise: it must equal the truth to the last digit, positions aside, and hold nothing else */
export function unlikeTruth(copy: ReadonlyMap<string, Held>, truth: string): string[] {
  const left = new Map(copy);
  const breaches: string[] = [];
  for (const [stream, rows] of truthRows(truth)) {
    const { tombstones, kind: kindOfRow } = STREAMS.find(({ name }) => name === stream)!;
    for (const [id, row] of rows) {
      const key = keyOf({ stream, id });
      const held = copy.get(key);
      left.delete(key);
      const isRemoved = tombstones && JSON.parse(row).deleted === true;
      // The tombstone of an asset that the SIEM never had, or has as withdrawn, is not for it.
      if (isRemoved && (!held || held.kind === 'withdrawn')) continue;
      const isRight = held?.content === canonicalContent(row) && held.kind === (isRemoved ? 'tombstone' : kindOfRow);
      if (!isRight) breaches.push(`${key} is ${held?.line ?? 'missing'} and should be ${row}`);
    }
  }
  const ghosts = [...left].filter(([, { kind }]) => kind !== 'withdrawn');
  return [...breaches, ...ghosts.map(([key, { line }]) => `${key} is a ghost: ${line}`)];
}

/** Strings, and everything else that has a meaning of its own; numbers and words lie between. */
const MARK = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
/** Within the stream's object, within the whole. */
const DEPTH_OF_ROWS = 2;

/**
 * The rows of a truth as they are written, cut out of its text: `{"<stream>": {"<id>": <row>, …}, …}`. Parsing and writing
 * them would change their digits.
 *
 * @returns by stream and id the row's text
 */
function truthRows(text: string): Map<string, Map<string, string>> {
  const streams = new Map<string, Map<string, string>>();
  let rows = new Map<string, string>();
  let depth = 0;
  let name = '';
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    if (mark === '{' || mark === '[') {
      if (depth === DEPTH_OF_ROWS) start = index;
      if (depth === 1) {
        rows = new Map();
        streams.set(name, rows);
      }
      depth += 1;
    } else if (mark === '}' || mark === ']') {
      depth -= 1;
      if (depth === DEPTH_OF_ROWS) rows.set(name, text.slice(start, index + 1));
    } else if (mark !== ',' && depth <= DEPTH_OF_ROWS) name = JSON.parse(mark);
  }
  return streams;
}
