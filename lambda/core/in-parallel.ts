/** Splits the items into pieces of `size`. The last piece may be smaller. */
export function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}

/**
 * Runs `task` for all items at the same time, and returns when every task has ended, even after a
 * failure.
 *
 * `Promise.all` would reject at the first failure and leave the other tasks running. A write that
 * is being retried would then land after its run has released the lease, and overwrite the write of
 * the next run:
 *
 *     run 1   chunk 1 fails ── lease released        chunk 2, retried ── writes a49 "live"
 *     run 2                                  writes a49 "removed" ──┘
 *
 * @param task function whose signal `stop` aborts when another task has failed; after the abort the
 * function must not start another try
 * @throws the error of the first task that failed, once all tasks have ended
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  task: (item: Item, stop: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController();
  const failures: unknown[] = [];
  const ended = items.map(async item => {
    try {
      return await task(item, stop.signal);
    } catch (error) {
      failures.push(error);
      stop.abort();
      throw error;
    }
  });
  await Promise.allSettled(ended);
  if (failures.length > 0) throw failures[0];
  return Promise.all(ended);
}
