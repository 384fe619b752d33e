/**
 * Sends withdrawals and tombstones again that the SIEM has lost, for `resync --send-all --since`.
 * The API does not list such rows any more, so only their states remember them.
 *
 *     since 10:00, begun at 12:00
 *     t1 withdrawn at 9:00      is not sent again, because the SIEM has its withdrawal
 *     t2 withdrawn at 11:00     its withdrawal is sent again
 *     a removed at 11:00        its tombstone was sent again by the first pass if the API lists it; otherwise a withdrawal is sent
 *     t3 withdrawn at 12:01     is not sent again, because it was sent after the SIEM had lost its data
 */

import type { Checkpoint } from '../ports.ts';
import { BATCH_ROWS } from './batch.ts';
import { commitBatch, saveCheckpoint } from './commit.ts';
import { Draft } from './draft.ts';
import { chunks } from './in-parallel.ts';
import { draftOptions, type StreamRun } from './run.ts';
import { confirmPassStart } from './second-walk.ts';
import { epochAt, leastSequence } from './sequence.ts';

/**
 * @param isOver whether the second walk must pause, so that the walk can read new changes
 * @returns the checkpoint that is saved
 */
export async function withdrawAgain(
  initial: Checkpoint,
  streamRun: StreamRun,
  isOver: () => boolean,
): Promise<Checkpoint> {
  const { stream, run } = streamRun;
  const { generation, second } = initial;
  const range = { least: leastSequence(epochAt(second!.withdrawalsSince!)), end: leastSequence(generation) };
  let checkpoint = initial;
  let scanned = second!.scanned;
  do {
    const { states, next } = await run.rowStates.removed(stream.name, range, scanned);
    for (const piece of chunks([...states], BATCH_ROWS)) {
      const draft = new Draft(checkpoint, new Map(piece), draftOptions(piece.length, streamRun));
      for (const [id] of piece) draft.withdrawAgain(id);
      checkpoint = await commitBatch(draft.batch({ window: [] }), checkpoint, streamRun);
    }
    scanned = next;
  } while (scanned !== undefined && !isOver());

  const next = scanned === undefined ? confirmPassStart(run.clock.now()) : {};
  return saveCheckpoint({ ...checkpoint, second: { ...checkpoint.second!, ...next, scanned } }, streamRun);
}
