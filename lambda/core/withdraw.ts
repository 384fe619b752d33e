/**
 * Rows that vanished with their owner are told to the SIEM: the platform drops a removed asset's threats without a status
 * and without a tombstone of their own.
 *
 * Runs when the owners' walk has reached its end and before the owned rows are walked. A removal listed meanwhile undone
 * is struck off. Each piece is: states → Firehose's ack → memberships deleted; the list entry goes last, so a kill or a
 * spent time budget anywhere only means that the rest is worked off later.
 */
import type { ChildEntry, ListedRemoval, Removal, RowState } from '../ports.ts';
import type { NamedStream } from '../streams.ts';
import { withdrawnEventId } from './event-id.ts';
import { eventContext, type Run, type StreamResult } from './run.ts';
import { DAMAGED, type Memory } from './stream-state.ts';

/** Memberships worked off at once: an asset may have a million threats. */
const PIECE = 500;

interface Withdrawing {
  readonly parents: NamedStream;
  readonly parentsState: Memory;
  readonly stream: NamedStream;
  readonly memory: Memory;
  readonly run: Run;
  readonly result: StreamResult;
}

/** @returns whether the list was worked off; if not, the time budget was spent. */
export async function withdraw(step: Withdrawing): Promise<boolean> {
  const { run, parents, stream, memory } = step;
  for (const tombstone of await run.removals.pending(parents.name, memory.checkpoint.repairing)) {
    if (await isStillRemoved(tombstone, step)) {
      for (let more = true; more; ) {
        if (run.outOfTime()) return false;
        const piece = await run.childIndex.of(stream.name, tombstone.id, PIECE, memory.checkpoint.repairing);
        more = piece.length > 0;
        if (more) await withdrawPiece(piece, tombstone, step);
      }
    }
    await run.removals.remove(parents.name, tombstone.id, run.lease.assertLeaseValid);
  }
  return true;
}

/**
 * An asset never seen has no state, yet its threats may have been seen. A live state restores the asset only when its event came
 * after the tombstone's. An older one was written late, over the state that said "removed", and is put right.
 */
async function isStillRemoved(
  { id, sequence }: ListedRemoval,
  { run, parents, parentsState }: Withdrawing,
): Promise<boolean> {
  const state = parentsState.readable((await run.rowStates.get(parents.name, [id])).get(id));
  if (state === undefined || state.removed) return true;
  if (state.sequence > sequence) return false;
  const removed = { ...state, rowHash: '', removed: true, sequence };
  await run.rowStates.put(parents.name, new Map([[id, removed]]), run.lease.assertLeaseValid);
  return true;
}

async function withdrawPiece(piece: readonly ChildEntry[], tombstone: Removal, step: Withdrawing): Promise<void> {
  const { run, stream, memory } = step;
  const ids = piece.map(each => each.id);
  const states = await run.rowStates.get(stream.name, ids);
  const gone = piece.filter(each => hasDisappeared(each, memory.readable(states.get(each.id)), memory));
  if (gone.length > 0) {
    const vanishedIds = gone.map(each => each.id);
    await send(vanishedIds, tombstone, step);
  }
  await run.childIndex.delete(stream.name, piece, run.lease.assertLeaseValid);
}

/**
 * A row that has moved to another owner since must not be withdrawn with its old one, nor one that was withdrawn with its
 * new owner already. In doubt, a run was killed after the row was sent under this owner and before its state was recorded.
 */
function hasDisappeared({ parent, id, sequence }: ChildEntry, state: RowState | undefined, memory: Memory): boolean {
  if (!state) return memory.intents.isUnconfirmed(id);
  // Should it have moved, the walk that mends sends it again.
  if (state === DAMAGED) return true;
  return state.parent === parent || (sequence > state.sequence && memory.intents.isUnconfirmed(id));
}

/**
 * The states come first: a row that comes back, also after a kill amid this, is then known to be another incarnation. Until
 * its membership is deleted the withdrawal is repeated, under the same event_id.
 */
async function send(ids: readonly string[], tombstone: Removal, { run, stream, memory, result }: Withdrawing) {
  const context = eventContext(run);
  const { forwardedAt } = context;
  const { generation } = memory.checkpoint;
  const states = new Map<string, RowState>();
  const lines = ids.map(id => {
    const sequence = run.sequencer.next();
    const revision = withdrawnEventId(id, tombstone, stream, context);
    states.set(id, { rowHash: '', generation, removed: true, parent: tombstone.id, sequence, forwardedAt, revision });
    return run.assignment.format.withdrawn(id, tombstone, stream, sequence, context);
  });
  if (memory.window.forget(ids)) {
    const checkpoint = memory.advance({ window: memory.window.snapshot() });
    await run.checkpoints.save(stream.name, checkpoint, run.lease.epoch);
  }
  await run.rowStates.put(stream.name, states, run.lease.assertLeaseValid);
  result.throttledMilliseconds += await run.delivery.deliver(lines, run.lease.assertLeaseValid);
  result.withdrawn += ids.length;
}
