/**
 * Sends withdrawals and tombstones again that the SIEM has lost: `resync --send-all --since`. The API does not list such rows any more, so
 * nothing but their states remembers them.
 *
 *     since 10:00, begun at 12:00
 *     t1 withdrawn at 9:00      the SIEM has its withdrawal
 *     t2 withdrawn at 11:00     its withdrawal is sent again
 *     a removed at 11:00        the first pass has sent its tombstone again if the API lists it. Otherwise it is sent as a withdrawal
 *     t3 withdrawn at 12:01     was sent after the SIEM had lost anything
 */
import type { Checkpoint } from '../ports.ts';
import { commit, save } from './commit.ts';
import { Draft } from './draft.ts';
import { chunks } from './in-parallel.ts';
import { draftOptions, type StreamRun } from './run.ts';
import { confirmLater } from './second-walk.ts';
import { epochAt, leastSequence } from './sequence.ts';

/** Rows of one batch. */
const PIECE = 500;

/** @param isOver whether the walk must take its turn @returns the checkpoint that is saved */
export async function withdrawAgain(
  initial: Checkpoint,
  streamRun: StreamRun,
  isOver: () => boolean,
): Promise<Checkpoint> {
  const { stream, run } = streamRun;
  const { generation, second } = initial;
  const range = { least: leastSequence(epochAt(second!.since!)), end: leastSequence(generation) };
  let checkpoint = initial;
  let scanned = second!.scanned;
  do {
    const { states, next } = await run.rowStates.removed(stream.name, range, scanned);
    for (const piece of chunks([...states], PIECE)) {
      const draft = new Draft(checkpoint, new Map(piece), draftOptions(piece.length, streamRun));
      for (const [id] of piece) draft.withdrawAgain(id);
      checkpoint = await commit(draft.batch({ window: [] }), checkpoint, streamRun);
    }
    scanned = next;
  } while (scanned !== undefined && !isOver());

  const next = scanned === undefined ? confirmLater(run.clock.now()) : {};
  return save({ ...checkpoint, second: { ...checkpoint.second!, ...next, scanned } }, streamRun);
}
