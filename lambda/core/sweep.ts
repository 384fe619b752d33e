/**
 * Ends a second walk. A row that exists according to its state, but that neither pass has listed,
 * does not exist any more, so it is withdrawn. This removes every ghost, whatever its cause, for
 * example a row that was removed after the backup from which the table was restored.
 */

import type { Checkpoint, RowState, WithdrawalCounts } from '../ports.ts';
import { childStreamOf } from '../streams.ts';
import { BATCH_ROWS } from './batch.ts';
import { commitBatch, saveCheckpoint } from './commit.ts';
import { Draft } from './draft.ts';
import { addWithdrawals, withdrawalAllowance } from './guard.ts';
import { chunks, inParallel } from './in-parallel.ts';
import { draftOptions, type StreamRun } from './run.ts';
import { stopSecondWalk } from './second-walk.ts';

/**
 * Number of queries at the same time. It is below 50, because the SDK opens at most 50 connections.
 */
const QUERIES = 25;

/**
 * @param children counts of the stream whose rows disappear with the rows of this stream
 * @param isOver whether the second walk must pause, so that the walk can read new changes
 * @returns the checkpoint that is saved
 */
export async function sweep(
  initial: Checkpoint,
  children: Checkpoint['counts'] | undefined,
  streamRun: StreamRun,
  isOver: () => boolean,
): Promise<Checkpoint> {
  const { stream, run } = streamRun;
  let checkpoint = initial;
  let scanned = initial.second!.scanned;
  do {
    const { states, next } = await run.rowStates.unlisted(stream.name, checkpoint.generation, scanned);
    for (const piece of chunks([...states], BATCH_ROWS)) {
      const { allowed, kept, withdrawn } = await allowedOf(piece, checkpoint, children, streamRun);
      checkpoint = await sweepPiece(allowed, withdrawn, checkpoint, streamRun);
      if (kept) return stopSecondWalk({ ...kept, reason: 'not-listed' }, checkpoint, streamRun);
    }
    scanned = next;
  } while (scanned !== undefined && !isOver());

  if (scanned !== undefined)
    return saveCheckpoint({ ...checkpoint, second: { ...checkpoint.second!, scanned } }, streamRun);
  // Every row that exists was listed by this walk, so the number of existing rows is the number of
  // listed rows.
  const { listed } = checkpoint.counts;
  return saveCheckpoint({ ...checkpoint, counts: { existing: listed, listed }, second: undefined }, streamRun);
}

type Piece = readonly (readonly [string, RowState])[];

/**
 * Returns the rows of a piece that the guard allows the sweep to withdraw, and the counts of the
 * other withdrawals, before which the guard stops.
 */
async function allowedOf(
  piece: Piece,
  { second }: Checkpoint,
  counts: Checkpoint['counts'] | undefined,
  streamRun: StreamRun,
): Promise<{
  readonly allowed: Piece;
  readonly withdrawn: WithdrawalCounts;
  readonly kept: WithdrawalCounts | undefined;
}> {
  const left = withdrawalAllowance(second!, counts);
  const costs = await costsOf(piece, left, streamRun);
  let withdrawn: WithdrawalCounts = { own: 0, children: 0 };
  let fit = 0;
  for (const cost of costs) {
    const next = addWithdrawals(withdrawn, cost);
    if (next.own > left.own || next.children > left.children) break;
    withdrawn = next;
    fit++;
  }
  const kept = fit === piece.length ? undefined : costs.slice(fit).reduce(addWithdrawals);
  return { allowed: piece.slice(0, fit), withdrawn, kept };
}

/**
 * Counts the withdrawals that each row would cause: its own withdrawal, and the withdrawals of the
 * rows that disappear with it.
 */
async function costsOf(piece: Piece, left: WithdrawalCounts, { stream, run }: StreamRun): Promise<WithdrawalCounts[]> {
  const child = childStreamOf(stream.name);
  const own = piece.map(([, { status }]) => ({ own: status === 'live' ? 1 : 0, children: 0 }));
  if (!child || left.children === Number.POSITIVE_INFINITY) return own;

  const children: number[] = [];
  for (const some of chunks(piece, QUERIES)) {
    // Children are counted only up to one more than the allowance, because the exact excess makes
    // no difference.
    const found = await inParallel(some, ([id]) => run.childIndex.of(child.name, id, left.children + 1));
    children.push(...found.map(({ length }) => length));
  }
  return own.map((cost, at) => ({ ...cost, children: children[at]! }));
}

function sweepPiece(
  piece: Piece,
  withdrawn: WithdrawalCounts,
  checkpoint: Checkpoint,
  streamRun: StreamRun,
): Promise<Checkpoint> {
  const options = draftOptions(piece.length, streamRun);
  const draft = new Draft(checkpoint, new Map(piece), options);
  const isParent = childStreamOf(streamRun.stream.name) !== undefined;
  for (const [id] of piece) {
    draft.remove(id, { time: options.context.forwardedAt, reason: 'not-listed' });
    if (isParent) draft.listRemoval(id);
  }
  const second = { ...checkpoint.second!, withdrawn: addWithdrawals(checkpoint.second!.withdrawn, withdrawn) };
  return commitBatch(draft.batch({ second, window: [] }), checkpoint, streamRun);
}
