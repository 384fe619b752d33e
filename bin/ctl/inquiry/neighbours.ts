/** Ids in the answer about an asset's neighbours, whose shape is not specified. */

/** Deeper than any list within an envelope. */
const DEEPEST = 4;

/** The `id` of every object in it, each once, but for the asset itself. @returns nothing when it is not JSON */
export function neighbourIds(answer: string, asset: string): string[] | undefined {
  const ids = new Set<string>();
  const gather = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
    const { id } = value as { id?: unknown };
    if (typeof id === 'string' && id !== '' && id !== asset) {
      // What lies within a neighbour is its own: its interfaces may have ids too.
      ids.add(id);
      return;
    }
    for (const each of Object.values(value)) gather(each, depth + 1);
  };
  try {
    gather(JSON.parse(answer), 0);
  } catch {
    return undefined;
  }
  return [...ids];
}
