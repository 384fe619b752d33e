/**
 * Withdraws the rows that disappeared with their parent: the platform drops a removed asset's threats without a status and without a
 * tombstone of their own.
 *
 *     listed      a (tombstone)   b (tombstone)   c (tombstone)
 *     row states  a removed       b live again    c unknown
 *     child index a: t1 t2        b: t3           c: t4
 *     sent        withdrawn t1, t2                withdrawn t4        b was restored meanwhile: its removal is struck off
 *
 * It runs when the walk of the parents has reached its end and before the child rows are read. Removals are worked off many at a time, as
 * pages are. Each piece is written in this order: row states, events, child index, and last the list of removals. A kill anywhere, or a
 * spent time budget, only means that the next run does the rest: the same withdrawal has the same `event_id`.
 */
import type { ChildEntry, ListedRemoval, RowState } from '../ports.ts';
import type { NamedStream } from '../streams.ts';
import { type EventContext, withdrawnEventId } from './event.ts';
import { idTag } from './hashes.ts';
import { chunks, inParallel } from './in-parallel.ts';
import { eventContext, type StreamRun } from './run.ts';
import { type Sequences, sequenceAt } from './sequence.ts';
import { DAMAGED, forget, isUnconfirmed, readable, type StreamState, toCheckpoint, without } from './stream-state.ts';

/** Removals worked off at once: their row states are one read. */
const REMOVALS = 100;
/** Child rows worked off at once, and read of one parent at once: an asset may have a million threats. */
const PIECE = 500;
/** Queries at the same time: the SDK opens 50 connections at most. */
const QUERIES = 25;

export interface WithdrawOutcome {
  readonly state: StreamState;
  /** Whether the list was worked off. If not, the time budget is spent. */
  readonly done: boolean;
}

/** @param parents the stream whose removals are listed */
export async function withdraw(
  parents: NamedStream,
  initial: StreamState,
  streamRun: StreamRun,
): Promise<WithdrawOutcome> {
  const { run } = streamRun;
  const { repairing } = initial.checkpoint;
  let state = initial;
  for (const listed of chunks(await run.removals.list(parents.name, repairing), REMOVALS)) {
    let open = await stillRemoved(listed, parents, streamRun);
    while (open.length > 0) {
      if (run.outOfTime()) return { state, done: false };
      const found = await childrenOf(open, repairing, streamRun);
      for (const piece of chunks(
        found.flatMap(each => each.children),
        PIECE,
      )) {
        if (run.outOfTime()) return { state, done: false };
        state = await withdrawPiece(piece, state, streamRun);
      }
      open = found.filter(({ children }) => children.length === PIECE).map(({ removal }) => removal);
    }
    await run.removals.remove(
      parents.name,
      listed.map(({ id }) => id),
      run.lease.assertValid,
    );
  }
  return { state, done: true };
}

/**
 * An asset never seen has no state, yet its threats may have been seen. A live state restores the asset only when its event came
 * after the tombstone's. An older one was written late, over the state that said "removed", and is put right. A restored asset that the filter
 * withholds has no live state, only the note that it exists.
 */
async function stillRemoved(
  listed: readonly ListedRemoval[],
  parents: NamedStream,
  { run }: StreamRun,
): Promise<ListedRemoval[]> {
  const stored = await run.rowStates.get(
    parents.name,
    listed.map(({ id }) => id),
  );
  const late = new Map<string, RowState>();
  const removed = listed.filter(({ id, sequence }) => {
    const state = readable(stored.get(id), false);
    if (state === undefined) return true;
    if (state.removed) return state.exists === undefined || state.exists <= sequence;
    if (state.sequence > sequence) return false;
    late.set(id, { ...state, rowHash: '', removed: true, sequence });
    return true;
  });
  if (late.size > 0) await run.rowStates.put(parents.name, late, run.lease.assertValid);
  return removed;
}

interface Child {
  readonly entry: ChildEntry;
  readonly removal: ListedRemoval;
}

interface Found {
  readonly removal: ListedRemoval;
  /** The first of them, up to a piece. */
  readonly children: readonly Child[];
}

async function childrenOf(
  removals: readonly ListedRemoval[],
  repairing: boolean,
  { stream, run }: StreamRun,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const some of chunks(removals, QUERIES)) {
    const queried = await inParallel(some, async removal => {
      const entries = await run.childIndex.of(stream.name, removal.id, PIECE, repairing);
      return { removal, children: entries.map(entry => ({ entry, removal })) };
    });
    found.push(...queried);
  }
  return found;
}

/**
 * The row states come first: a row that comes back, also after a kill in the middle of this, is then known to be another revision. Until its entry in the
 * child index is deleted the withdrawal is repeated, under the same `event_id`.
 */
async function withdrawPiece(piece: readonly Child[], state: StreamState, streamRun: StreamRun): Promise<StreamState> {
  const { stream, run, count } = streamRun;
  const { assertValid, epoch } = run.lease;
  // A threat that moved between two removed assets has an entry under both. One read and one event serve for both.
  const ids = [...new Set(piece.map(({ entry }) => entry.id))];
  const stored = await run.rowStates.get(stream.name, ids);
  const gone = new Map<string, ListedRemoval>();
  for (const { entry, removal } of piece) {
    const known = readable(stored.get(entry.id), state.checkpoint.repairing);
    if (hasDisappeared(entry, known, state)) gone.set(entry.id, removal);
  }
  let next = state;
  if (gone.size > 0) {
    const context = eventContext(run);
    const withdrawals = withdrawalsOf(
      gone,
      state.checkpoint.generation,
      run.sequencer.reserve(gone.size),
      context,
      streamRun,
    );
    const ids = [...gone.keys()];
    next = { ...state, window: forget(state.window, ids) };
    if (next.window !== state.window) await run.checkpoints.save(stream.name, toCheckpoint(next), epoch);
    await run.rowStates.put(stream.name, withdrawals.states, assertValid);
    count({ throttledMilliseconds: await run.delivery.deliver(withdrawals.lines, assertValid) });
    count({ withdrawn: gone.size });
    // The SIEM has their withdrawal now, whatever a killed run sent of them.
    next = { ...next, unconfirmed: without(state.unconfirmed, ids.map(idTag)) };
  }
  await run.childIndex.delete(
    stream.name,
    piece.map(({ entry }) => entry),
    assertValid,
  );
  return next;
}

/**
 * A row that has moved to another parent since must not be withdrawn with its old one, nor one that was withdrawn with its new parent
 * already. An unconfirmed one was sent under this parent by a run that was killed before it recorded the state.
 */
function hasDisappeared(
  { parent, id, sequence }: ChildEntry,
  known: RowState | undefined,
  state: StreamState,
): boolean {
  if (!known) return isUnconfirmed(state, id);
  // If it has moved, the walk that repairs the stream sends it again.
  if (known === DAMAGED) return true;
  return known.parent === parent || (sequence > known.sequence && isUnconfirmed(state, id));
}

/** The events of these withdrawals, and the states that they leave. */
function withdrawalsOf(
  gone: ReadonlyMap<string, ListedRemoval>,
  generation: number,
  sequences: Sequences,
  context: EventContext,
  { stream, run }: StreamRun,
): { lines: string[]; states: Map<string, RowState> } {
  const { forwardedAt } = context;
  const states = new Map<string, RowState>();
  const lines = [...gone].map(([id, removal], index) => {
    const sequence = sequenceAt(sequences, index + 1);
    const revision = withdrawnEventId(id, removal, stream, context);
    states.set(id, { rowHash: '', generation, removed: true, parent: removal.id, sequence, forwardedAt, revision });
    return run.assignment.format.withdrawn(id, removal, stream, sequence, context);
  });
  return { lines, states };
}
