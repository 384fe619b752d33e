import { LOOP_LEFT } from './errors.ts';
import type { ReadPage } from './read-pages.ts';

export interface GroupLimits {
  readonly pages: number;
  readonly bytes: number;
}

/**
 * Limits of a batch. Eight pages are enough to spread the latency of the log and of the checkpoint
 * over many rows, and more bytes would only take memory.
 */
export const GROUP_LIMITS: GroupLimits = { pages: 8, bytes: 8 * 1024 * 1024 };

/**
 * Groups pages. The pages that arrive while one group is processed form the next group, so the
 * slower the writes of a batch are, the larger the next batch is. Fetching continues until a group
 * is full. A page that was read with an earlier cursor begins a new group.
 *
 *     fetched        1 2 3 4 5 6 7 8 9
 *     processed      [1]   [2 3 4]   [5 6 7 8]
 *
 * @param readPages reads the pages; its signal aborts when the loop over the groups is left
 */
export async function* groupPages(
  readPages: (left: AbortSignal) => AsyncIterable<ReadPage>,
  limits: GroupLimits = GROUP_LIMITS,
): AsyncGenerator<ReadPage[], void, void> {
  const arrived: ReadPage[] = [];
  let isEnded = false;
  const left = new AbortController();
  let failure: unknown;
  let wake: () => void = () => undefined;
  const changed = () =>
    new Promise<void>(resolve => {
      wake = resolve;
    });

  const isFull = () => arrived.length >= limits.pages || bytesOf(arrived) >= limits.bytes;
  let makeRoom: () => void = () => undefined;
  const fetching = (async () => {
    try {
      for await (const page of readPages(left.signal)) {
        arrived.push(page);
        wake();
        while (isFull() && !left.signal.aborted)
          await new Promise<void>(resolve => {
            makeRoom = resolve;
          });
        if (left.signal.aborted) break;
      }
    } catch (error) {
      failure = error;
    } finally {
      isEnded = true;
      wake();
    }
  })();

  try {
    for (;;) {
      while (arrived.length === 0 && !isEnded) await changed();
      if (arrived.length === 0) break;
      const group = arrived.splice(0, groupLength(arrived));
      makeRoom();
      yield group;
    }
    if (failure !== undefined) throw failure;
  } finally {
    left.abort(LOOP_LEFT);
    makeRoom();
    await fetching;
  }
}

function groupLength(arrived: readonly ReadPage[]): number {
  const next = arrived.findIndex((page, at) => at > 0 && page.rewound);
  return next < 0 ? arrived.length : next;
}

function bytesOf(pages: readonly ReadPage[]): number {
  return pages.reduce((sum, { bytes }) => sum + bytes, 0);
}
