/** Compares what the SIEM received with what the API would answer now. */
import { STREAMS } from '../../lambda/streams.ts';
import { content } from '../../local/rows/lossless.ts';
import { type Copy, copyOf, greatestSequence, keyOf, type ReceivedEvent } from './siem.ts';
import { truthRows } from './truth-rows.ts';

export interface Evidence {
  readonly events: readonly ReceivedEvent[];
  /** Text of `GET …/truth`. */
  readonly truth: string;
  /** Lease epochs of the runs that ended by themselves with everything saved. */
  readonly completedEpochs: ReadonlySet<number>;
}

export interface Result {
  /** A sentence each. */
  readonly breaches: readonly string[];
  /** Events with an `event_id` that was sent before. */
  readonly repeats: number;
  readonly withdrawals: number;
  readonly tombstones: number;
  /** Assets sent as live data after their tombstone. */
  readonly restores: number;
}

export function check({ events, truth, completedEpochs }: Evidence): Result {
  const inOrder = events.toSorted((one, other) => (one.sequence < other.sequence ? -1 : 1));
  const repeats = repeatsOf(inOrder);
  const needless = repeats.filter(({ before }) => completedEpochs.has(epochOf(before)));
  return {
    breaches: [
      ...unlikeTruth(copyOf(events, greatestSequence), truthRows(truth)),
      ...sequencesUsedTwice(events),
      ...needless.map(({ event, before }) => `Sent again though no run was killed since ${before.line}: ${event.line}`),
    ],
    repeats: repeats.length,
    withdrawals: events.filter(({ kind }) => kind === 'withdrawn').length,
    tombstones: events.filter(({ kind }) => kind === 'tombstone').length,
    restores: restoresIn(inOrder),
  };
}

/** The rows of each stream, by id. */
export type TruthRows = Iterable<readonly [stream: string, rows: ReadonlyMap<string, string>]>;

/** @returns a sentence for each row that the copy has otherwise: it must equal the truth to the last digit, positions aside, and hold nothing else */
export function unlikeTruth(copy: Copy, truth: TruthRows): string[] {
  const breaches: string[] = [];
  const live = new Set<string>();
  for (const [stream, rows] of truth) {
    for (const [id, row] of rows) {
      const key = keyOf(stream, id);
      live.add(key);
      const held = copy.get(key);
      const { tombstones, kind: kindOfRow } = STREAMS.find(({ name }) => name === stream)!;
      const removed = tombstones && JSON.parse(row).deleted === true;
      // The tombstone of an asset that the SIEM never had, or has as withdrawn, is not for it.
      if (removed && (!held || held.kind === 'withdrawn')) continue;
      const kind = removed ? 'tombstone' : kindOfRow;
      const right = held?.content === content(row) && held.kind === kind;
      if (!right) breaches.push(`${key} is ${held?.line ?? 'missing'} and should be ${row}`);
    }
  }
  for (const [key, { kind, line }] of copy) {
    if (!live.has(key) && kind !== 'withdrawn') breaches.push(`${key} is a ghost: ${line}`);
  }
  return breaches;
}

interface Repeat {
  readonly event: ReceivedEvent;
  readonly before: ReceivedEvent;
}

function repeatsOf(inOrder: readonly ReceivedEvent[]): Repeat[] {
  const last = new Map<string, ReceivedEvent>();
  return inOrder.flatMap(event => {
    const before = last.get(event.eventId);
    last.set(event.eventId, event);
    return before ? [{ event, before }] : [];
  });
}

export function sequencesUsedTwice(events: readonly ReceivedEvent[]): string[] {
  const lines = new Map<string, string>();
  return events.flatMap(({ sequence, line }) => {
    const before = lines.get(sequence);
    lines.set(sequence, line);
    return before === undefined || before === line ? [] : [`Two events have one sequence: ${before} and ${line}`];
  });
}

function restoresIn(inOrder: readonly ReceivedEvent[]): number {
  const removed = new Set<string>();
  let restores = 0;
  for (const { stream, id, kind } of inOrder) {
    if (stream !== 'assets') continue;
    if (kind === 'tombstone') removed.add(id);
    else if (removed.delete(id)) restores += 1;
  }
  return restores;
}

/** The first half of a sequence is the epoch of the run's lease. */
function epochOf({ sequence }: ReceivedEvent): number {
  return Number(sequence.slice(0, 10));
}
