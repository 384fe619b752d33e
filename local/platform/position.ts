/**
 * Stream positions: microseconds since the epoch, never falling. Several changes may share one, as one projection batch of the
 * platform does.
 */
export function createPositions(clock: () => number, random: () => number, tieSize: number): () => number {
  let last = 0;
  return () => {
    const joins = last > 0 && tieSize > 1 && random() < 1 - 1 / tieSize;
    if (!joins) last = Math.max(Math.floor(clock()) * 1000, last + 1);
    return last;
  };
}

/** The position as the API writes it: ISO 8601 with six fractional digits. */
export function positionText(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
