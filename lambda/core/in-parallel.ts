/** The items in pieces of `size`, the last one perhaps smaller. */
export function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}

/**
 * Runs `task` for each item at the same time and returns when every one has ended, also after a failure.
 *
 * `Promise.all` rejects at the first failure and leaves the others running. A write that is being retried would then land after
 * its run has given the lease back, on top of what the next run wrote:
 *
 *     run 1   chunk 1 fails ── lease released        chunk 2, retried ── writes a49 "live"
 *     run 2                                  writes a49 "removed" ──┘
 *
 * @param task `stop` aborts when another one has failed: do not start another try then
 * @throws what the first task to fail threw, once all have ended
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
