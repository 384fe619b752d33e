/** Many histories, each held against both judges: what the SQL makes of their events is asked once for all. */
import { check } from './check.ts';
import { generate } from './generate.ts';
import { emptyTally, type Observation, type Tally } from './oracle/observation.ts';
import type { ViewsCheck } from './oracle/views.ts';

export interface Batch {
  /** First seed; the next ones follow it. */
  readonly from: number;
  readonly count: number;
}

export interface BatchResult {
  readonly count: number;
  readonly failedSeeds: readonly number[];
  readonly seen: Tally;
}

export async function runBatch({ from, count }: Batch, views: ViewsCheck): Promise<BatchResult> {
  const seen = emptyTally();
  const failedSeeds = new Set<number>();
  const observations: Observation[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const { breaches, observation } = await check(generate(seed));
    for (const name of Object.keys(seen) as (keyof Tally)[]) seen[name] += observation.seen[name];
    if (breaches.length > 0) failedSeeds.add(seed);
    observations.push(observation);
  }
  for (const [index, breaches] of (await views.check(observations)).entries()) {
    if (breaches.length > 0) failedSeeds.add(from + index);
  }
  return { count, failedSeeds: [...failedSeeds], seen };
}
