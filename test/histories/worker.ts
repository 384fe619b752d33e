/** One core's share of the histories. */
import { parentPort } from 'node:worker_threads';
import { check } from './check.ts';
import { generate } from './generate.ts';
import { emptyTally, type Tally } from './oracle/observation.ts';

export interface Batch {
  readonly from: number;
  readonly count: number;
}

export interface BatchResult {
  readonly count: number;
  readonly failedSeeds: readonly number[];
  readonly seen: Tally;
}

parentPort?.on('message', async (batch: Batch) => {
  parentPort?.postMessage(await runBatch(batch));
});

async function runBatch({ from, count }: Batch): Promise<BatchResult> {
  const seen = emptyTally();
  const failedSeeds: number[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const { breaches, observation } = await check(generate(seed));
    for (const name of Object.keys(seen) as (keyof Tally)[]) seen[name] += observation.seen[name];
    if (breaches.length > 0) failedSeeds.push(seed);
  }
  return { count, failedSeeds, seen };
}
