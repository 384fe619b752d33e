/**
 * Withdraws the rows that disappeared with their parent, because the API drops the threats of a
 * removed asset without a status and without a tombstone.
 *
 *     listed      a removed       b removed       c restored
 *     row states  a removed       b live again    c live
 *     child index a: t1 t2        b: t3           c: t4
 *     sent        withdrawn t1, t2                                  threats are read again, because those of c were withdrawn
 *
 * It runs when the walk over the assets has reached its end, and before threats are read. Many
 * removals are handled at a time, and each piece of withdrawals is a batch. After a kill, or when
 * the time budget is spent, the next run does the rest.
 */

import type { Checkpoint, ChildEntry, ListedRemoval } from '../ports.ts';
import type { NamedStream } from '../streams.ts';
import { BATCH_ROWS } from './batch.ts';
import { commitBatch } from './commit.ts';
import { Draft } from './draft.ts';
import { chunks, inParallel } from './in-parallel.ts';
import { draftOptions, type StreamRun } from './run.ts';
import { beginSecondWalk } from './second-walk.ts';

/** Number of removals that are handled at a time. Their row states are read together. */
const REMOVALS = 100;
/**
 * Number of queries at the same time. It is below 50, because the SDK opens at most 50 connections.
 */
const QUERIES = 25;

export interface WithdrawOutcome {
  readonly checkpoint: Checkpoint;
  /** Whether the whole list of removals was processed. If not, the run is over. */
  readonly isDone: boolean;
}

/**
 * @param parents the stream whose removals are listed
 * @throws the errors of `commitBatch`
 */
export async function withdraw(
  parents: NamedStream,
  initial: Checkpoint,
  streamRun: StreamRun,
): Promise<WithdrawOutcome> {
  const { run } = streamRun;
  let checkpoint = initial;
  for (const listed of chunks(await run.removals.list(parents.name), REMOVALS)) {
    // An asset may be listed more than once. Its last listing counts, because it has the date of
    // the last removal.
    const byId = new Map(listed.map(removal => [removal.id, removal]));
    const states = await run.rowStates.get(parents.name, [...byId.keys()]);
    const exists = ({ id }: ListedRemoval) => (states.get(id)?.status ?? 'removed') !== 'removed';
    const removed = [...byId.values()].filter(removal => !exists(removal));

    for await (const piece of childrenOf(removed, streamRun)) {
      if (streamRun.isOver()) return { checkpoint, isDone: false };
      checkpoint = await withdrawPiece(piece, checkpoint, streamRun);
    }
    if (streamRun.isOver()) return { checkpoint, isDone: false };

    const isReread = listed.some(removal => removal.isRestored && exists(removal));
    checkpoint = await strikeOff(listed, isReread, checkpoint, streamRun);
  }
  return { checkpoint, isDone: !streamRun.isOver() };
}

interface Child {
  readonly entry: ChildEntry;
  readonly removal: ListedRemoval;
}

/** Yields the children of removed parents in pieces of at most `BATCH_ROWS`. */
async function* childrenOf(removals: readonly ListedRemoval[], { stream, run }: StreamRun): AsyncGenerator<Child[]> {
  for (const some of chunks(removals, QUERIES)) {
    let open = some.map(removal => ({ removal, after: undefined as ChildEntry | undefined }));
    while (open.length > 0) {
      const found = await inParallel(open, async ({ removal, after }) => ({
        removal,
        entries: await run.childIndex.of(stream.name, removal.id, BATCH_ROWS, after),
      }));
      yield* chunks(
        found.flatMap(({ removal, entries }) => entries.map(entry => ({ entry, removal }))),
        BATCH_ROWS,
      );
      open = found
        .filter(({ entries }) => entries.length === BATCH_ROWS)
        .map(({ removal, entries }) => ({ removal, after: entries.at(-1) }));
    }
  }
}

/**
 * Withdraws the rows of a piece. A row that has moved to another parent is not withdrawn; only its
 * entry under the old parent is deleted.
 */
async function withdrawPiece(
  piece: readonly Child[],
  checkpoint: Checkpoint,
  streamRun: StreamRun,
): Promise<Checkpoint> {
  const { stream, run } = streamRun;
  const states = await run.rowStates.get(stream.name, [...new Set(piece.map(({ entry }) => entry.id))]);
  const draft = new Draft(checkpoint, states, draftOptions(piece.length, streamRun));
  for (const { entry, removal } of piece) {
    const state = draft.stateOf(entry.id);
    if (state?.status === 'live' && state.parent === removal.id)
      draft.remove(entry.id, { time: removal.deletedAt, position: removal.position });
  }
  const childrenDone = piece.map(({ entry }) => entry);
  // The threats of a restored asset may come back unchanged, so the window must not recognize them.
  const window = draft.withdrawn > 0 ? [] : checkpoint.window;
  return commitBatch(draft.batch({ window }, { childrenDone }), checkpoint, streamRun);
}

function strikeOff(
  listed: readonly ListedRemoval[],
  isReread: boolean,
  checkpoint: Checkpoint,
  streamRun: StreamRun,
): Promise<Checkpoint> {
  const { run } = streamRun;
  const begin = { mode: 'restored', now: run.clock.now(), epoch: run.lease.epoch } as const;
  const next = isReread ? beginSecondWalk(checkpoint, begin) : checkpoint;
  const draft = new Draft(checkpoint, new Map(), draftOptions(0, streamRun));
  const removalsDone = listed.map(({ id, sequence }) => ({ id, sequence }));
  return commitBatch(draft.batch(next, { removalsDone }), checkpoint, streamRun);
}
