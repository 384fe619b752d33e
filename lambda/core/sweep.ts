/**
 * The end of a second walk: a row that exists by its state and that neither pass has listed does not exist. So every ghost, from whatever
 * cause, is withdrawn, such as a row that was removed after the backup from which the table was restored.
 */
import type { Checkpoint, RowState, Withdrawals } from '../ports.ts';
import { childOf } from '../streams.ts';
import { commit, save } from './commit.ts';
import { Draft } from './draft.ts';
import { added, allowance } from './guard.ts';
import { chunks, inParallel } from './in-parallel.ts';
import { draftOptions, type StreamRun } from './run.ts';
import { stopBefore } from './second-walk.ts';

/** Rows of one batch. */
const PIECE = 500;
/** Queries at the same time: the SDK opens 50 connections at most. */
const QUERIES = 25;

/**
 * @param children counts of the stream whose rows disappear with those of this one
 * @param isOver whether the walk must take its turn
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
    for (const piece of chunks([...states], PIECE)) {
      const { allowed, kept, withdrawn } = await allowedOf(piece, checkpoint, children, streamRun);
      checkpoint = await sweepPiece(allowed, withdrawn, checkpoint, streamRun);
      if (kept) return stopBefore({ ...kept, reason: 'not-listed' }, checkpoint, streamRun);
    }
    scanned = next;
  } while (scanned !== undefined && !isOver());

  if (scanned !== undefined) return save({ ...checkpoint, second: { ...checkpoint.second!, scanned } }, streamRun);
  // Every row that exists was listed, and so counted anew.
  const { listed } = checkpoint.counts;
  return save({ ...checkpoint, counts: { existing: listed, listed }, second: undefined }, streamRun);
}

type Piece = readonly (readonly [string, RowState])[];

/** The rows of a piece that the guard allows to withdraw, and the withdrawals before which it stops. */
async function allowedOf(
  piece: Piece,
  { second }: Checkpoint,
  counts: Checkpoint['counts'] | undefined,
  streamRun: StreamRun,
): Promise<{ readonly allowed: Piece; readonly withdrawn: Withdrawals; readonly kept: Withdrawals | undefined }> {
  const left = allowance(second!, counts);
  const costs = await costsOf(piece, left, streamRun);
  let withdrawn: Withdrawals = { own: 0, children: 0 };
  let fit = 0;
  for (const cost of costs) {
    const next = added(withdrawn, cost);
    if (next.own > left.own || next.children > left.children) break;
    withdrawn = next;
    fit++;
  }
  const kept = fit === piece.length ? undefined : costs.slice(fit).reduce(added);
  return { allowed: piece.slice(0, fit), withdrawn, kept };
}

/** For each row the withdrawals that it would cause: its own, and those of the rows that disappear with it. */
async function costsOf(piece: Piece, left: Withdrawals, { stream, run }: StreamRun): Promise<Withdrawals[]> {
  const child = childOf(stream.name);
  const own = piece.map(([, { status }]) => ({ own: status === 'live' ? 1 : 0, children: 0 }));
  if (!child || left.children === Number.POSITIVE_INFINITY) return own;

  const children: number[] = [];
  for (const some of chunks(piece, QUERIES)) {
    // More than may be withdrawn need not be counted.
    const found = await inParallel(some, ([id]) => run.childIndex.of(child.name, id, left.children + 1));
    children.push(...found.map(({ length }) => length));
  }
  return own.map((each, at) => ({ ...each, children: children[at]! }));
}

function sweepPiece(
  piece: Piece,
  withdrawn: Withdrawals,
  checkpoint: Checkpoint,
  streamRun: StreamRun,
): Promise<Checkpoint> {
  const options = draftOptions(piece.length, streamRun);
  const draft = new Draft(checkpoint, new Map(piece), options);
  const isParent = childOf(streamRun.stream.name) !== undefined;
  for (const [id] of piece) {
    draft.remove(id, { time: options.context.forwardedAt, reason: 'not-listed' });
    if (isParent) draft.listRemoval(id);
  }
  const second = { ...checkpoint.second!, withdrawn: added(checkpoint.second!.withdrawn, withdrawn) };
  return commit(draft.batch({ second, window: [] }), checkpoint, streamRun);
}
