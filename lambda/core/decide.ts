/** Everything that follows from one page, decided before anything is done: what to send, to store and to remember. */
import type { ChildEntry, DeadLetter, ListedRemoval, RowState } from '../ports.ts';
import type { Stream, StreamName } from '../streams.ts';
import { classify, type Knowledge } from './classify.ts';
import { exceedsRecord } from './event.ts';
import type { EventContext, EventFormat } from './event-format.ts';
import type { BadRow, Row } from './row.ts';
import type { Sequencer } from './sequence.ts';

export interface Plan {
  readonly deadLetters: DeadLetter[];
  readonly lines: string[];
  /** Ids behind the lines, and the last sequence among them. */
  readonly forwardedIds: string[];
  lastSequence: string;
  readonly states: Map<string, RowState>;
  /** To be written before the lines are sent. */
  readonly childIndex: ChildEntry[];
  readonly tombstones: ListedRemoval[];
  readonly counts: PlanCounts;
}

export interface PlanCounts {
  forwarded: number;
  suppressed: number;
  tombstones: number;
  unseenTombstones: number;
  oversize: number;
  withoutOwner: number;
}

export interface PlanInput {
  readonly stream: Stream & { readonly name: StreamName };
  /** Rows that the window does not know, one an id. */
  readonly rows: readonly Row[];
  readonly badRows: readonly BadRow[];
  readonly recall: (row: Row) => Knowledge;
  readonly generation: number;
  readonly sequencer: Sequencer;
  readonly context: EventContext;
  readonly format: EventFormat;
  readonly locate: (deadLetter: DeadLetter) => string;
}

export function planPage(input: PlanInput): Plan {
  const plan: Plan = {
    deadLetters: input.badRows.map(({ reason, text, rowHash }) => ({
      stream: input.stream.name,
      reason,
      text,
      rowHash,
    })),
    lines: [],
    forwardedIds: [],
    lastSequence: '',
    states: new Map(),
    childIndex: [],
    tombstones: [],
    counts: { forwarded: 0, suppressed: 0, tombstones: 0, unseenTombstones: 0, oversize: 0, withoutOwner: 0 },
  };
  for (const row of input.rows) planRow(row, plan, input);
  return plan;
}

function planRow(row: Row, plan: Plan, input: PlanInput): void {
  const remembers = input.stream.memory === 'row-states';
  const knowledge = remembers ? input.recall(row) : undefined;
  const verdict = knowledge ? classify(row, knowledge) : 'forward';
  if (verdict === 'suppress') {
    plan.counts.suppressed++;
    return;
  }
  // Listed even when the asset was never seen: its threats may have been, between the asset walk and the threat walk.
  if (verdict === 'unseen') {
    plan.counts.unseenTombstones++;
    plan.tombstones.push(tombstoneOf(row, input.sequencer.last, input));
    return;
  }
  const before = knowledge?.state;
  // The SIEM has the row: only its state learns something.
  if (verdict === 'adopt') plan.counts.suppressed++;
  const told = verdict === 'adopt' && before ? before : send(row, before, plan, input);
  if (row.deleted) plan.tombstones.push(tombstoneOf(row, told.sequence, input));
  if (remembers) remember(row, told, before, plan, input);
}

/** When the SIEM was told of a row last, and by which event. */
type Told = Pick<RowState, 'sequence' | 'forwardedAt'>;

/** Puts the row's line into the plan. */
function send(row: Row, before: RowState | undefined, plan: Plan, input: PlanInput): Told {
  const { stream, context, format } = input;
  const sequence = input.sequencer.next();
  const known = before !== undefined && !before.removed && before.generation >= input.generation;
  const sending = { row, stream, sequence, revision: before?.revision ?? '', known };
  let line = format.row(sending, context);
  if (exceedsRecord(line)) {
    const deadLetter: DeadLetter = { stream: stream.name, reason: 'oversize', text: row.text, rowHash: row.rowHash };
    plan.deadLetters.push(deadLetter);
    plan.counts.oversize++;
    line = format.oversize(sending, context, input.locate(deadLetter));
  }
  plan.lines.push(line);
  plan.forwardedIds.push(row.id);
  plan.lastSequence = sequence;
  plan.counts.forwarded++;
  if (row.deleted) plan.counts.tombstones++;
  if (stream.cascadesFrom && row.parent === undefined) plan.counts.withoutOwner++;
  return { sequence, forwardedAt: context.forwardedAt };
}

function remember(row: Row, told: Told, before: RowState | undefined, plan: Plan, input: PlanInput): void {
  const { rowHash, deleted: removed, parent, id } = row;
  const { sequence, forwardedAt } = told;
  const revision = before?.revision ?? '';
  plan.states.set(id, { rowHash, generation: input.generation, removed, parent, sequence, forwardedAt, revision });
  // The membership under an owner that was left stays until that owner's removal, which passes it over.
  const isMember = before !== undefined && before.parent === parent && !before.removed;
  if (parent !== undefined && !isMember) plan.childIndex.push({ parent, id, sequence });
}

function tombstoneOf(row: Row, sequence: string, { stream }: PlanInput): ListedRemoval {
  return { id: row.id, deletedAt: stream.tombstones ? row.time : undefined, position: row.position, sequence };
}
