/**
 * Stream positions: microseconds since the epoch, never falling. Several changes may share one, as one projection batch of the
 * platform does.
 *
 * @param withholdMs how long a change is not shown: a batch that has been shown takes no more, or a change would be seen at once
 */
export function createPositions(
  clock: () => number,
  random: () => number,
  { tieSize, withholdMs }: { readonly tieSize: number; readonly withholdMs: number },
): (id: string) => number {
  let last = 0;
  /** Ids of the batch at `last`: one batch projects a resource once, so no two versions of it share a position. */
  let batch = new Set<string>();
  return id => {
    const joins = last > 0 && tieSize > 1 && random() < 1 - 1 / tieSize;
    const isShown = withholdMs > 0 && last <= (clock() - withholdMs) * 1000;
    if (!joins || isShown || batch.has(id)) {
      last = Math.max(Math.floor(clock()) * 1000, last + 1);
      batch = new Set();
    }
    batch.add(id);
    return last;
  };
}

/** The position as the API writes it: ISO 8601 with six fractional digits. */
export function positionText(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
