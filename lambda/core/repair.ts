/**
 * Repairs the SIEM's copy row by row, at an operator's command: `connectorctl verify --repair` names the rows of which the copy is wrong,
 * whatever the cause. The API's single read decides, not the table:
 *
 *     the API answers        row state     outcome
 *     404 or 410             live          withdrawn, with the reason `not-found`
 *     404 or 410             none          unchanged: the SIEM was never sent it
 *     the row of a threat whose asset is removed     as 404
 *     the row                any           sent, as another revision: the SIEM takes it although it may know the content
 *     the row, withheld      live          withdrawn by the filter
 *     a tombstone            any           sent, and its threats are withdrawn in the next run
 *
 * It runs for a stream whose walk has just reached its end, under the same lease, and its rows are a batch as those of a page are.
 */
import type { RowState } from '../ports.ts';
import { sendAndCommit } from './commit.ts';
import {
  batchOf,
  type DecideOptions,
  decideRow,
  forget,
  type Known,
  knownOf,
  type Outcome,
  type StreamState,
} from './decide.ts';
import { ApiRefusedError, ContractError } from './errors.ts';
import { missingWithdrawal, withdrawnLine } from './event.ts';
import { idTag } from './hashes.ts';
import { chunks } from './in-parallel.ts';
import { type Row, readRow, rowCut, singleRow } from './row.ts';
import type { StreamRun } from './run.ts';
import { sequenceAt } from './sequence.ts';
import { decideOptions } from './sync.ts';

/** What became of one row. */
export interface RepairOutcome {
  readonly stream: string;
  readonly id: string;
  readonly outcome: 'withdrawn' | 'sent' | 'unchanged' | 'kept';
  /** Why the row stays as it is. */
  readonly reason?: string;
}

/** Rows that are one batch. */
const PIECE = 50;

const NOT_CAUGHT_UP = 'the time ended before the stream was read to its end; run the command again';

export interface RepairOptions {
  readonly ids: readonly string[];
  /** Whether the walk of the stream has reached its end in this run. */
  readonly caughtUp: boolean;
  /** Called as they come, so that the outcomes before a failure are reported. */
  readonly onOutcome: (outcome: RepairOutcome) => void;
}

export async function repair(
  { ids, caughtUp, onOutcome }: RepairOptions,
  initial: StreamState,
  streamRun: StreamRun,
): Promise<StreamState> {
  const { stream, run } = streamRun;
  let state = initial;
  for (const piece of chunks([...new Set(ids)], PIECE)) {
    const report = (id: string, rest: Omit<RepairOutcome, 'stream' | 'id'>) =>
      onOutcome({ stream: stream.name, id, ...rest });
    if (!caughtUp || run.outOfTime()) {
      for (const id of piece) report(id, { outcome: 'kept', reason: NOT_CAUGHT_UP });
      continue;
    }
    const read: (readonly [string, Row | Gone | Unreadable])[] = [];
    for (const id of piece) read.push([id, await readSingle(id, streamRun)]);
    const stored = await run.rowStates.get(stream.name, piece);
    // Every batch is committed by now: the table has what was staged.
    const now = { ...state, staged: new Map<string, RowState>() };
    const options = decideOptions(piece.length, streamRun);
    const repaired = read.map(([id, answer], index) => {
      const known = knownOf(id, stored, now);
      return { id, ...repairOne(id, answer, known, sequenceAt(options.sequences, index + 1), now, options) };
    });
    const outcomes = repaired.flatMap(({ outcome }) => outcome ?? []);
    const window = forget(state.window, outcomes.map(({ id }) => idTag(id))); // biome-ignore format: one thought
    const batch = batchOf(outcomes, now, streamRun, { window });
    await sendAndCommit(batch, streamRun);
    state = batch.state;
    for (const { id, result } of repaired) report(id, result);
  }
  return state;
}

type Gone = 'gone';
interface Unreadable {
  readonly reason: string;
}

async function readSingle(id: string, streamRun: StreamRun): Promise<Row | Gone | Unreadable> {
  const { stream, run } = streamRun;
  const cut = rowCut(stream, run.assignment.parentMember);
  try {
    const answer = await run.rows.row(stream.path, id, run.lease.signal);
    const row = readRow(singleRow(answer, stream.path, cut), stream, run.hash);
    if ('reason' in row) return { reason: `it cannot be an event: ${row.reason}` };
    if (row.id !== id) return { reason: 'the API answered with another row' };
    return (await hasParent(row, streamRun)) ? row : 'gone';
  } catch (error) {
    if (error instanceof ApiRefusedError && (error.status === 404 || error.status === 410)) return 'gone';
    if (error instanceof ApiRefusedError) return { reason: `the API answered ${error.status}` };
    if (error instanceof ContractError) return { reason: 'the answer of the API has no such row' };
    if (error instanceof RangeError) return { reason: 'the API has no address for this id' };
    throw error;
  }
}

/** A single read may show a threat that no list shows any more, because its asset is removed. */
async function hasParent({ parent }: Row, { stream, run }: StreamRun): Promise<boolean> {
  const parents = run.assignment.streams.find(({ name }) => name === stream.cascadesFrom);
  if (parent === undefined || !parents) return true;
  const { status } = (await run.rowStates.get(parents.name, [parent])).get(parent) ?? { status: 'live' };
  return status !== 'removed';
}

interface Repaired {
  readonly result: Omit<RepairOutcome, 'stream' | 'id'>;
  readonly outcome?: Outcome;
}

function repairOne(
  id: string,
  answer: Row | Gone | Unreadable,
  known: Known,
  sequence: string,
  { checkpoint }: StreamState,
  options: DecideOptions,
): Repaired {
  if (answer === 'gone') return withdrawMissing(id, known, sequence, options);
  if ('reason' in answer) return { result: { outcome: 'kept', reason: answer.reason } };
  // As if an event had called the row gone: then it is sent as another revision, whatever the state says.
  const { decision, outcome } = decideRow(
    answer,
    sequence,
    { ...known, unconfirmed: true, gone: true },
    checkpoint,
    options,
  );
  if (decision === 'withdraw' && known.state?.status !== 'live' && !known.unconfirmed)
    return { result: { outcome: 'unchanged' } };
  return { result: { outcome: decision === 'withdraw' ? 'withdrawn' : 'sent' }, outcome };
}

function withdrawMissing(
  id: string,
  { state, unconfirmed, generation }: Known,
  sequence: string,
  { stream, context }: DecideOptions,
): Repaired {
  if (state?.status !== 'live' && !unconfirmed) return { result: { outcome: 'unchanged' } };
  const { parent, revision = 0, rowHash = '' } = state ?? {};
  const line = withdrawnLine(missingWithdrawal({ id, parent, stream, sequence, revision }, context), context);
  const next: RowState = {
    status: 'removed',
    rowHash,
    generation,
    parent,
    sequence,
    forwardedAt: context.forwardedAt,
    revision,
  };
  return {
    result: { outcome: 'withdrawn' },
    outcome: { id, sequence, line, state: next, gone: true, sent: { withdrawn: 1 } },
  };
}
