/**
 * Drains one stream: read page → classify against what was forwarded → forward → record → checkpoint → next page.
 *
 * While a page is committed, the next is being looked up and planned, and the one after fetched. Commits stay in order,
 * and so do the steps of each: in-flight note and memberships → dead letters → Firehose's ack of every line → row states
 * → checkpoint. A kill between any two of them loses nothing.
 */
import { commit } from './commit.ts';
import type { StreamRun } from './draining.ts';
import { prepare } from './prepare.ts';
import { type WalkedPage, walk } from './read-pages.ts';
import { rowCut } from './row.ts';

export async function drain(streamRun: StreamRun): Promise<void> {
  const { run, result } = streamRun;
  let committing: Promise<void> = Promise.resolve();
  try {
    for await (const page of pages(streamRun)) {
      run.lease.signal.throwIfAborted();
      if (page.rewound) {
        await committing;
        await rewind(page, streamRun);
      }
      const prepared = await prepare(page, streamRun);
      await committing;
      committing = commit(prepared, streamRun);
      committing.catch(() => undefined);
      const stalled = page.repeats && !prepared.news;
      if (stalled) result.stalledCursors++;
      if (page.next === null || stalled) {
        await committing;
        await arrive(streamRun);
        result.caughtUp = true;
        return;
      }
      if (run.outOfTime()) break;
    }
  } finally {
    await committing;
  }
}

/**
 * Saved before a row of the rewound walk is sent. It may send an older version of a row; were the run killed then and the
 * refused cursor accepted after all, the newer version would never be read again.
 */
async function rewind(page: WalkedPage, { stream, memory, run }: StreamRun): Promise<void> {
  const checkpoint = memory.advance({ cursor: page.sent, previous: undefined });
  await run.checkpoints.save(stream.name, checkpoint, run.lease.epoch);
}

/** What a resync was mending is mended once the walk has reached the end. */
async function arrive({ stream, memory, run }: StreamRun): Promise<void> {
  if (!memory.checkpoint.repairing) return;
  await run.checkpoints.save(stream.name, memory.advance({ repairing: false }), run.lease.epoch);
}

function pages({ stream, memory, run, result }: StreamRun): AsyncIterable<WalkedPage> {
  const { cursor, previous, names } = memory.checkpoint;
  return walk({
    source: run.source,
    clock: run.clock,
    path: stream.path,
    cut: rowCut(stream, run.assignment.parentMember),
    cursor,
    previous,
    limit: run.assignment.pageLimit,
    configuredNames: run.assignment.configuredNames,
    learnedNames: names,
    signal: run.lease.signal,
    onRefusedCursor: () => {
      result.refusedCursors++;
      run.log.warn('The API refused a cursor; the walk falls back to an earlier one', { stream: stream.name });
    },
  });
}
