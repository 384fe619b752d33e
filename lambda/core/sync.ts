/**
 * The story of a page, from the API to the checkpoint:
 *
 *     read page → look up what was forwarded of its rows → decide → write the intent → send → commit → next page
 *
 * commit.ts has the six writes and what a kill between them leaves.
 */

import type { RowState } from '../ports.ts';
import { commit, send, writeIntent } from './commit.ts';
import { type Candidates, type DecideOptions, decide, deDuplicate, type StreamState, toCheckpoint } from './decide.ts';
import { isEnd, type ReadPage, type ReadPagesOptions, readPages } from './read-pages.ts';
import { rowCut } from './row.ts';
import { eventContext, type StreamRun } from './run.ts';

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
      const { batch, read } = decide(page, candidates, stored, state, decideOptions(candidates.rows.length, streamRun));
      count({ pages: 1, ...read });
      await writeIntent(batch, overlap.busy ? state : undefined, streamRun); // 1
      await overlap.next(async () => {
        await send(batch, streamRun); // 2 dead letters, 3 events
        await commit(batch, streamRun); // 4 removals, 5 row states, 6 checkpoint
        count({ committedPages: 1 });
      });
      state = batch.state;
      if (page.repeats) noteRepeat(page, streamRun);
      if (page.next === null || page.repeats) {
        await overlap.ended();
        count({ caughtUp: isEnd(page) });
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
): Promise<ReadonlyMap<string, RowState>> {
  const ids = stream.hasRowStates ? rows.map(({ id }) => id).filter(id => !state.staged.has(id)) : [];
  return ids.length === 0 ? new Map() : run.rowStates.get(stream.name, ids);
}

/** @param rows how many rows are decided */
export function decideOptions(rows: number, { stream, run }: StreamRun): DecideOptions {
  return {
    stream,
    sequences: run.sequencer.reserve(rows),
    context: eventContext(run),
    locate: deadLetter => run.deadLetters.locate(deadLetter),
  };
}

/**
 * Saved before a row of the rewound walk is sent. The walk may send an older version of a row. If the run were killed then and the API
 * accepted the refused cursor after all, the newer version would never be read again. For the same reason the window, which has the newer
 * version, goes where row states decide.
 */
async function rewind({ sent }: ReadPage, state: StreamState, { stream, run }: StreamRun): Promise<StreamState> {
  const checkpoint = { ...state.checkpoint, cursor: sent, previous: undefined };
  const rewound = { ...state, checkpoint, window: stream.hasRowStates ? new Set<string>() : state.window };
  await run.checkpoints.save(stream.name, toCheckpoint(rewound), run.lease.epoch);
  return rewound;
}

function pagesOf({ checkpoint }: StreamState, streamRun: StreamRun): AsyncIterable<ReadPage> {
  const { cursor, previous, names } = checkpoint;
  return readPages({ ...walkOf(streamRun), cursor, previous, learnedNames: names });
}

/** Counts a walk that ended at a cursor that it had already followed. */
export function noteRepeat(page: ReadPage, { stream, run, count }: StreamRun): void {
  count({ stalledCursors: 1 });
  if (isEnd(page)) return;
  const what = 'The API sent a next_cursor that leads back to a page that was read before; the walk ends there';
  run.log.warn(what, { stream: stream.name });
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
    hash: run.hash,
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
