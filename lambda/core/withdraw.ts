/**
 * Rows that vanished with their owner are told to the SIEM: the platform drops a removed asset's threats without a status
 * and without a tombstone of their own.
 *
 * Runs when the owners' walk has reached its end and before the owned rows are walked. A removal listed meanwhile undone
 * is struck off. Each piece is: in-flight note → Firehose's ack → states → memberships deleted; the list entry
 * goes last, so a kill or a spent time budget anywhere only means that the rest is worked off later.
 */
import type { Membership, RowState, Tombstone } from '../ports.ts';
import { eventContext } from './drain.ts';
import { withdrawnEventId, withdrawnLine } from './event.ts';
import type { Memory } from './memory.ts';
import type { NamedStream, Run, StreamResult } from './run.ts';

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
  const { run, owners, memory, stream } = step;
  let noted = false;
  for (const tombstone of await run.withdrawals.pending(owners.name)) {
    if (await isStillRemoved(tombstone, step)) {
      for (let more = true; more; ) {
        if (run.outOfTime()) return false;
        const piece = await run.memberships.of(stream.name, tombstone.id, PIECE);
        more = piece.length > 0;
        if (more) noted = (await withdrawPiece(piece, tombstone, step)) || noted;
      }
    }
    await run.withdrawals.remove(owners.name, tombstone.id, run.lease.guard);
  }
  if (noted) await run.checkpoints.saveInFlight(stream.name, memory.inFlight.toSave(), run.lease.epoch);
  return true;
}

/** An asset never seen has no state, yet its threats may have been seen. */
async function isStillRemoved({ id }: Tombstone, { run, owners, ownersMemory }: Withdrawing): Promise<boolean> {
  const state = ownersMemory.readable((await run.rowStates.get(owners.name, [id])).get(id));
  return state === undefined || state.removed;
}

/** @returns whether anything was sent. */
async function withdrawPiece(piece: readonly Membership[], tombstone: Tombstone, step: Withdrawing): Promise<boolean> {
  const { run, stream, memory, result } = step;
  const ids = piece.map(each => each.id);
  const states = await run.rowStates.get(stream.name, ids);
  const vanished = piece.filter(each => hasVanished(each, memory.readable(states.get(each.id)), memory)).map(each => each.id);
  if (vanished.length > 0) await run.rowStates.put(stream.name, await send(vanished, tombstone, step), run.lease.guard);
  // States first: a membership left behind is passed over or withdrawn again, a state without one never would be.
  await run.memberships.delete(stream.name, piece, run.lease.guard);
  result.withdrawn += vanished.length;
  return vanished.length > 0;
}

/**
 * A row that has moved to another owner since must not be withdrawn with its old one, nor one that was withdrawn with its
 * new owner already. In doubt, a run was killed after the row was sent under this owner and before its state was recorded.
 */
function hasVanished({ owner, id, sequence }: Membership, state: RowState | undefined, memory: Memory): boolean {
  if (!state) return memory.inFlight.doubts(id);
  return state.owner === owner || (sequence > state.sequence && memory.inFlight.doubts(id));
}

/** @returns the states that say so. */
async function send(ids: readonly string[], tombstone: Tombstone, { run, stream, memory, result }: Withdrawing) {
  const context = eventContext(run);
  const { generation } = memory.checkpoint;
  const states = new Map<string, RowState>();
  const lines = ids.map(id => {
    const sequence = run.sequencer.next();
    const incarnation = withdrawnEventId(id, tombstone, stream, context);
    states.set(id, { digest: '', generation, removed: true, owner: tombstone.id, sequence, incarnation });
    return withdrawnLine(id, tombstone, stream, sequence, context);
  });
  const batch = memory.inFlight.open(ids, states.get(ids.at(-1)!)!.sequence);
  await run.checkpoints.saveInFlight(stream.name, memory.inFlight.toSave(), run.lease.epoch);
  if (memory.window.forget(ids)) {
    const checkpoint = memory.advance({ window: memory.window.snapshot() });
    await run.checkpoints.save(stream.name, checkpoint, run.lease.epoch);
  }
  result.throttledMilliseconds += await run.delivery.deliver(lines);
  memory.inFlight.settle(batch);
  return states;
}
