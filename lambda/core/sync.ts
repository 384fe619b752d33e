/**
 * The story of a page, from the API to the checkpoint:
 *
 *     read page → look up what was forwarded of its rows → decide → write the intent → send → commit → next page
 *
 * There are six writes, each awaited before the next. A kill between any two of them loses nothing:
 *
 *     killed after     the SIEM has        the next run
 *     1 intent         nothing             reads the page again and sends it
 *     2 dead letters   nothing             does the same; a dead letter that is stored twice is one object
 *     3 events         the page            reads it again; its ids are unconfirmed, so it is sent again under the same `event_id`
 *     4 removals       the page            does the same
 *     5 row states     the page            does the same
 *     6 checkpoint     the page            continues with the next page
 */

import type { Intent, StoredState } from '../ports.ts';
import { childOf } from '../streams.ts';
import { type Batch, type Candidates, type DecideOptions, decide, deDuplicate } from './decide.ts';
import { idTag } from './hashes.ts';
import { inParallel } from './in-parallel.ts';
import { type ReadPage, type ReadPagesOptions, readPages } from './read-pages.ts';
import { type Row, rowCut } from './row.ts';
import { eventContext, type StreamRun } from './run.ts';
import { type StreamState, toCheckpoint } from './stream-state.ts';

/**
 * Reads a stream from its checkpoint to its end, or until the time budget is spent, and forwards what changed.
 *
 * @returns the state after the last page
 */
export async function sync(initial: StreamState, streamRun: StreamRun): Promise<StreamState> {
  const { stream, run, count } = streamRun;
  const overlap = new Overlap();
  let state = initial;
  try {
    for await (const page of pagesOf(state, streamRun)) {
      run.lease.signal.throwIfAborted();
      if (page.rewound) {
        await overlap.ended();
        state = await rewind(page, state, streamRun);
      }
      const candidates = deDuplicate(page, state, stream, run.hash);
      const stored = await lookUp(candidates, state, streamRun);
      if (needsListed(candidates, state, streamRun)) {
        // With what the page before lists, which may not be in the table yet.
        await overlap.ended();
        state = await withListed(state, streamRun);
      }
      const batch = decide(page, candidates, stored, state, decideOptions(candidates, streamRun));
      count({ pages: 1, ...batch.counts.read });
      await writeIntent(batch, overlap.busy ? state.intent : undefined, streamRun); // 1
      await overlap.next(async () => {
        await send(batch, streamRun); // 2 dead letters, 3 events
        await commit(batch, streamRun); // 4 removals, 5 row states, 6 checkpoint
      });
      state = batch.state;
      const stalled = page.repeats && !batch.changes;
      if (stalled) count({ stalledCursors: 1 });
      if (page.next === null || stalled) {
        await overlap.ended();
        state = await onCaughtUp(state, streamRun);
        count({ caughtUp: true });
        break;
      }
      if (run.outOfTime()) break;
    }
  } finally {
    await overlap.ended();
  }
  return state;
}

/**
 * Forwards one row that no page holds, as a page of its own that leaves the cursor where it is. The window stays as it is: it
 * holds what every poll reads again, and this row would take the place of one of those.
 *
 * @param again forwards it although its state says that the SIEM has it
 */
export async function syncRow(row: Row, again: boolean, initial: StreamState, streamRun: StreamRun): Promise<Batch> {
  const unconfirmed = again ? new Set([...initial.unconfirmed, idTag(row.id)]) : initial.unconfirmed;
  // Every page is committed by now: the table has what was staged, and `again` must not be hidden by it.
  const state = { ...initial, unconfirmed, staged: new Map() };
  const { cursor: sent, names } = state.checkpoint;
  const page = { sent, next: null, rewound: false, repeats: false, names };
  const candidates = { rows: [row], bad: [], versionTags: [], superseded: 0, inWindow: 0 };
  const stored = await lookUp(candidates, state, streamRun);
  const batch = decide(page, candidates, stored, state, decideOptions(candidates, streamRun));
  streamRun.count(batch.counts.read);
  await writeIntent(batch, undefined, streamRun);
  await send(batch, streamRun);
  await commit(batch, streamRun);
  return batch;
}

/**
 * Sends and commits each page while the next one is prepared, one page at a time and in order:
 *
 *     page 1   look up, decide, intent | send, commit
 *     page 2                           | look up, decide, intent | send, commit
 *
 * The race: page 2 is looked up while page 1 is committed, so its look-up may or may not find the row states of page 1. That is why
 * `decide` takes what page 1 staged before what the look-up found. It needs no more than one page back: page 1 starts to send only
 * after every earlier page is committed.
 */
class Overlap {
  #running: Promise<void> = Promise.resolve();
  #busy = false;

  /** Whether a page is not committed yet. It stays so when its commit failed: what it may have sent must stay noted. */
  get busy(): boolean {
    return this.#busy;
  }

  /** Waits for the page before, then starts this one. */
  async next(finish: () => Promise<void>): Promise<void> {
    await this.#running;
    this.#busy = true;
    this.#running = finish().then(() => {
      this.#busy = false;
    });
    // Its failure shows where it is awaited.
    this.#running.catch(() => undefined);
  }

  ended(): Promise<void> {
    return this.#running;
  }
}

async function lookUp(
  { rows }: Candidates,
  state: StreamState,
  { stream, run }: StreamRun,
): Promise<ReadonlyMap<string, StoredState>> {
  const ids = stream.hasRowStates ? rows.map(({ id }) => id).filter(id => !state.staged.has(id)) : [];
  return ids.length === 0 ? new Map() : run.rowStates.get(stream.name, ids);
}

/** Whether rows exist that the filter withholds, of which a removal may be listed. */
function needsListed({ rows }: Candidates, { listed }: StreamState, { stream }: StreamRun): boolean {
  return listed === undefined && childOf(stream.name) !== undefined && rows.some(({ filter }) => filter === 'withhold');
}

async function withListed(state: StreamState, { stream, run }: StreamRun): Promise<StreamState> {
  // By their keys alone: what else a damaged one says does not matter here.
  const listed = await run.removals.list(stream.name, true);
  return { ...state, listed: new Set(listed.map(({ id }) => id)) };
}

function decideOptions({ rows }: Candidates, { stream, run }: StreamRun): DecideOptions {
  const { pageLimit, format } = run.assignment;
  return {
    stream,
    pageLimit,
    format,
    sequences: run.sequencer.reserve(rows.length),
    context: eventContext(run),
    locate: deadLetter => run.deadLetters.locate(deadLetter),
  };
}

/**
 * 1. Without this note a kill between Firehose's acknowledgement and the row states would leave an asset that the SIEM has and the table
 * does not know: its tombstone would look like that of an asset never seen.
 *
 * @param previous intent of the page that may still be under commit
 */
async function writeIntent(batch: Batch, previous: Intent | undefined, { stream, run }: StreamRun): Promise<void> {
  const { intent, children, state } = batch;
  const saveIntents = async () => {
    if (!intent) return;
    const unconfirmed = { sequence: '', idTags: [...state.unconfirmed] };
    const intents = [...(unconfirmed.idTags.length > 0 ? [unconfirmed] : []), ...(previous ? [previous] : []), intent];
    await run.checkpoints.saveIntents(stream.name, intents, run.lease.epoch);
  };
  const putChildren = async () => {
    if (children.length > 0) await run.childIndex.put(stream.name, children, run.lease.assertValid);
  };
  await inParallel([saveIntents, putChildren], write => write());
}

/** 2. and 3. What cannot be sent is stored first, since a notice in the events points to it. */
async function send({ deadLetters, lines, counts }: Batch, { run, count }: StreamRun): Promise<void> {
  await inParallel(deadLetters, each => run.deadLetters.store(each, run.lease.assertValid));
  count({ deadLetters: counts.sent.deadLetters });
  if (lines.length > 0) count({ throttledMilliseconds: await run.delivery.deliver(lines, run.lease.assertValid) });
  const { deadLetters: _, ...sent } = counts.sent;
  count(sent);
}

/** 4. to 6. Removals come before the row states: a state "removed" would suppress the tombstone when the page is read again. */
async function commit(
  { removals, restored, states, checkpoint }: Batch,
  { stream, run, count }: StreamRun,
): Promise<void> {
  const { assertValid, epoch } = run.lease;
  if (removals.length > 0) await run.removals.add(stream.name, removals, assertValid);
  if (restored.length > 0) await run.removals.remove(stream.name, restored, assertValid);
  if (states.size > 0) await run.rowStates.put(stream.name, states, assertValid);
  if (checkpoint) await run.checkpoints.save(stream.name, checkpoint, epoch);
  count({ settledPages: 1 });
}

/**
 * Saved before a row of the rewound walk is sent. The walk may send an older version of a row. If the run were killed then and the API
 * accepted the refused cursor after all, the newer version would never be read again.
 */
async function rewind({ sent }: ReadPage, state: StreamState, { stream, run }: StreamRun): Promise<StreamState> {
  const rewound = { ...state, checkpoint: { ...state.checkpoint, cursor: sent, previous: undefined } };
  await run.checkpoints.save(stream.name, toCheckpoint(rewound), run.lease.epoch);
  return rewound;
}

/** A resync has repaired whatever was damaged once the walk has reached the end. */
async function onCaughtUp(state: StreamState, { stream, run }: StreamRun): Promise<StreamState> {
  if (!state.checkpoint.repairing) return state;
  const repaired = { ...state, checkpoint: { ...state.checkpoint, repairing: false } };
  await run.checkpoints.save(stream.name, toCheckpoint(repaired), run.lease.epoch);
  return repaired;
}

function pagesOf({ checkpoint }: StreamState, streamRun: StreamRun): AsyncIterable<ReadPage> {
  const { cursor, previous, names } = checkpoint;
  return readPages({ ...walkOf(streamRun), cursor, previous, learnedNames: names });
}

/** What every walk over the stream has in common. */
export function walkOf({
  stream,
  run,
  count,
}: StreamRun): Omit<ReadPagesOptions, 'cursor' | 'previous' | 'learnedNames'> {
  const { pageLimit, parentMember, configuredNames } = run.assignment;
  return {
    source: run.source,
    clock: run.clock,
    path: stream.path,
    cut: rowCut(stream, parentMember),
    limit: pageLimit,
    configuredNames,
    signal: run.lease.signal,
    onRefusedCursor: () => {
      count({ refusedCursors: 1 });
      run.log.warn('The API refused a cursor; the walk falls back to an earlier one', { stream: stream.name });
    },
  };
}
