/**
 * Rows that vanished with their owner are told to the SIEM: the platform drops a removed asset's threats without a status
 * and without a tombstone of their own.
 *
 * Runs when the owners' walk has reached its end and before the owned rows are walked. A removal listed meanwhile undone
 * is struck off. Each piece is: states → Firehose's ack → memberships deleted; the list entry goes last, so a kill or a
 * spent time budget anywhere only means that the rest is worked off later.
 */
import type { ListedRemoval, Membership, RowState, Tombstone } from '../ports.ts';
import type { NamedStream } from '../streams.ts';
import { withdrawnEventId } from './event-id.ts';
import { DAMAGED, type Memory } from './memory.ts';
import { eventContext, type Run, type StreamResult } from './run.ts';

/** Memberships worked off at once: an asset may have a million threats. */
const PIECE = 500;

interface Withdrawing {
  readonly owners: NamedStream;
  readonly ownersMemory: Memory;
  readonly stream: NamedStream;
  readonly memory: Memory;
  readonly run: Run;
  readonly result: StreamResult;
}

/** @returns whether the list was worked off; if not, the time budget was spent. */
export async function withdraw(step: Withdrawing): Promise<boolean> {
  const { run, owners, stream, memory } = step;
  for (const tombstone of await run.withdrawals.pending(owners.name, memory.checkpoint.mending)) {
    if (await isStillRemoved(tombstone, step)) {
      for (let more = true; more; ) {
        if (run.outOfTime()) return false;
        const piece = await run.memberships.of(stream.name, tombstone.id, PIECE, memory.checkpoint.mending);
        more = piece.length > 0;
        if (more) await withdrawPiece(piece, tombstone, step);
      }
    }
    await run.withdrawals.remove(owners.name, tombstone.id, run.lease.guard);
  }
  return true;
}

/**
 * An asset never seen has no state, yet its threats may have been seen. A live state restores the asset only when its event came
 * after the tombstone's. An older one was written late, over the state that said "removed", and is put right.
 */
async function isStillRemoved(
  { id, sequence }: ListedRemoval,
  { run, owners, ownersMemory }: Withdrawing,
): Promise<boolean> {
  const state = ownersMemory.readable((await run.rowStates.get(owners.name, [id])).get(id));
  if (state === undefined || state.removed) return true;
  if (state.sequence > sequence) return false;
  const removed = { ...state, digest: '', removed: true, sequence };
  await run.rowStates.put(owners.name, new Map([[id, removed]]), run.lease.guard);
  return true;
}

async function withdrawPiece(piece: readonly Membership[], tombstone: Tombstone, step: Withdrawing): Promise<void> {
  const { run, stream, memory } = step;
  const ids = piece.map(each => each.id);
  const states = await run.rowStates.get(stream.name, ids);
  const vanished = piece.filter(each => hasVanished(each, memory.readable(states.get(each.id)), memory));
  if (vanished.length > 0) {
    const vanishedIds = vanished.map(each => each.id);
    await send(vanishedIds, tombstone, step);
  }
  await run.memberships.delete(stream.name, piece, run.lease.guard);
}

/**
 * A row that has moved to another owner since must not be withdrawn with its old one, nor one that was withdrawn with its
 * new owner already. In doubt, a run was killed after the row was sent under this owner and before its state was recorded.
 */
function hasVanished({ owner, id, sequence }: Membership, state: RowState | undefined, memory: Memory): boolean {
  if (!state) return memory.inFlight.doubts(id);
  // Should it have moved, the walk that mends sends it again.
  if (state === DAMAGED) return true;
  return state.owner === owner || (sequence > state.sequence && memory.inFlight.doubts(id));
}

/**
 * The states come first: a row that comes back, also after a kill amid this, is then known to be another incarnation. Until
 * its membership is deleted the withdrawal is repeated, under the same event_id.
 */
async function send(ids: readonly string[], tombstone: Tombstone, { run, stream, memory, result }: Withdrawing) {
  const context = eventContext(run);
  const { forwardedAt } = context;
  const { generation } = memory.checkpoint;
  const states = new Map<string, RowState>();
  const lines = ids.map(id => {
    const sequence = run.sequencer.next();
    const incarnation = withdrawnEventId(id, tombstone, stream, context);
    states.set(id, { digest: '', generation, removed: true, owner: tombstone.id, sequence, forwardedAt, incarnation });
    return run.assignment.format.withdrawn(id, tombstone, stream, sequence, context);
  });
  if (memory.window.forget(ids)) {
    const checkpoint = memory.advance({ window: memory.window.snapshot() });
    await run.checkpoints.save(stream.name, checkpoint, run.lease.epoch);
  }
  await run.rowStates.put(stream.name, states, run.lease.guard);
  result.throttledMilliseconds += await run.delivery.deliver(lines, run.lease.guard);
  result.withdrawn += ids.length;
}
