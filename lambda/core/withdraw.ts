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
 * pages are, and each piece of withdrawals is a batch like a page. A removal is struck off when nothing of it is half done: a kill, or a
 * spent time budget, only means that the next run does the rest. The same withdrawal has the same `event_id`.
 */
import type { ChildEntry, ListedRemoval, RowState } from '../ports.ts';
import type { NamedStream } from '../streams.ts';
import { sendAndCommit } from './commit.ts';
import { batchOf, forget, isUnconfirmed, type Outcome, type StreamState } from './decide.ts';
import { cascadedWithdrawal, withdrawnLine } from './event.ts';
import { idTag } from './hashes.ts';
import { chunks, inParallel } from './in-parallel.ts';
import { eventContext, type StreamRun } from './run.ts';
import { sequenceAt } from './sequence.ts';

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

/** A listed removal on its way: whether its parent exists again, and how far its children are known. */
interface Open {
  readonly removal: ListedRemoval;
  readonly restored: boolean;
  readonly after: ChildEntry | undefined;
}

/** @param parents the stream whose removals are listed @throws as `sync` does */
export async function withdraw(
  parents: NamedStream,
  initial: StreamState,
  streamRun: StreamRun,
): Promise<WithdrawOutcome> {
  const { run } = streamRun;
  let state = initial;
  for (const listed of chunks(await run.removals.list(parents.name), REMOVALS)) {
    let open = await openRemovals(listed, parents, state, streamRun);
    while (open.length > 0) {
      if (run.outOfTime()) return { state, done: false };
      const found = await childrenOf(open, streamRun);
      for (const piece of chunks(
        found.flatMap(each => each.children),
        PIECE,
      )) {
        if (run.outOfTime()) return { state, done: false };
        state = await withdrawPiece(piece, state, streamRun);
      }
      open = found
        .filter(({ children }) => children.length === PIECE)
        .map(({ open: each, children }) => ({ ...each, after: children.at(-1)!.entry }));
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
 * The parents that are still removed. An asset never seen has no state, yet its threats may have been seen. A state that says that the
 * asset exists restores it only when it came after the tombstone. An older one was written late, over the state that said "removed", and is
 * put right. Of a restored asset a killed run may have called threats gone: those withdrawals are completed first, or the SIEM would keep
 * an event of which the connector knows nothing.
 */
async function openRemovals(
  listed: readonly ListedRemoval[],
  parents: NamedStream,
  { gone }: StreamState,
  { run }: StreamRun,
): Promise<Open[]> {
  const ids = listed.map(({ id }) => id);
  const stored = await run.rowStates.get(parents.name, ids);
  const late = new Map<string, RowState>();
  const open = listed.flatMap((removal): Open[] => {
    const state = stored.get(removal.id);
    const exists = state !== undefined && state.status !== 'removed';
    const restored = exists && state.sequence > removal.sequence;
    if (exists && !restored) late.set(removal.id, { ...state, status: 'removed', sequence: removal.sequence });
    return restored && gone.size === 0 ? [] : [{ removal, restored, after: undefined }];
  });
  if (late.size > 0) await run.rowStates.put(parents.name, late, run.lease.assertValid);
  return open;
}

interface Child {
  readonly entry: ChildEntry;
  readonly open: Open;
}

async function childrenOf(open: readonly Open[], { stream, run }: StreamRun) {
  const found: { readonly open: Open; readonly children: readonly Child[] }[] = [];
  for (const some of chunks(open, QUERIES)) {
    const queried = await inParallel(some, async each => {
      const entries = await run.childIndex.of(stream.name, each.removal.id, PIECE, each.after);
      return { open: each, children: entries.map(entry => ({ entry, open: each })) };
    });
    found.push(...queried);
  }
  return found;
}

/** Until its entry in the child index is deleted, a withdrawal is repeated under the same `event_id`. */
async function withdrawPiece(piece: readonly Child[], state: StreamState, streamRun: StreamRun): Promise<StreamState> {
  const { stream, run } = streamRun;
  // A threat that moved between two removed assets has an entry under both. One read and one event serve for both.
  const stored = await run.rowStates.get(stream.name, [...new Set(piece.map(({ entry }) => entry.id))]);
  const gone = new Map<string, ListedRemoval>();
  for (const { entry, open } of piece) {
    if (hasDisappeared(entry, open, stored.get(entry.id), state)) gone.set(entry.id, open.removal);
  }
  let next = state;
  if (gone.size > 0) {
    const window = forget(state.window, [...gone.keys()].map(idTag));
    const batch = batchOf(outcomesOf(gone, stored, state, streamRun), state, streamRun, { window });
    await sendAndCommit(batch, streamRun);
    next = batch.state;
  }
  const left = piece.filter(({ open }) => !open.restored).map(({ entry }) => entry);
  if (left.length > 0) await run.childIndex.delete(stream.name, left, run.lease.assertValid);
  return next;
}

/**
 * A row that has moved to another parent since must not be withdrawn with its old one, nor one that was withdrawn with its new parent
 * already. An unconfirmed one was sent under this parent by a run that was killed before it recorded the state.
 */
function hasDisappeared(
  { parent, id, sequence }: ChildEntry,
  { restored }: Open,
  known: RowState | undefined,
  state: StreamState,
): boolean {
  const unconfirmed = isUnconfirmed(state, id, known);
  if (restored) return unconfirmed && state.gone.has(idTag(id));
  if (known?.status === 'live' && known.parent === parent) return true;
  return unconfirmed && (!known || sequence > known.sequence);
}

/** The events of these withdrawals, and the states that they leave. */
function outcomesOf(
  gone: ReadonlyMap<string, ListedRemoval>,
  stored: ReadonlyMap<string, RowState>,
  { checkpoint: { generation } }: StreamState,
  { stream, run }: StreamRun,
): Outcome[] {
  const context = eventContext(run);
  const { forwardedAt } = context;
  const sequences = run.sequencer.reserve(gone.size);
  return [...gone].map(([id, removal], index) => {
    const sequence = sequenceAt(sequences, index + 1);
    const known = stored.get(id);
    // The hash of what the SIEM had: a refresh recognizes by it a row of a restored asset that was never delivered again.
    const { rowHash = '', revision = 0 } = known ?? {};
    const line = withdrawnLine(cascadedWithdrawal({ id, removal, stream, sequence }, context), context);
    const state: RowState = {
      status: 'removed',
      rowHash,
      generation,
      parent: removal.id,
      sequence,
      forwardedAt,
      revision,
    };
    return { id, sequence, line, state, gone: true, sent: { withdrawn: 1 } };
  });
}
