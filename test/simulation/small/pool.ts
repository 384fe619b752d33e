/** Explores scopes on all cores. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Explored } from './explore.ts';
import type { Patch } from './mutants.ts';

/** One worker's share of a scope. */
export interface Share {
  readonly scope: string;
  readonly shard: number;
  readonly shards: number;
  /** Stops at so many failures. */
  readonly enough: number;
}

/** More shares than cores, since sequences take unequally long. */
const SHARES = 8;

/** @param patch breaks one line of the source first */
export async function exploreOnAllCores(scope: string, enough: number, patch?: Patch): Promise<Explored> {
  const total: Explored = { histories: 0, failures: [] };
  let next = 0;
  const work = async () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: patch });
    try {
      while (next < SHARES && total.failures.length < enough) {
        const explored = await askWorker(worker, { scope, shard: next++, shards: SHARES, enough });
        total.histories += explored.histories;
        total.failures.push(...explored.failures);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return total;
}

function askWorker(worker: Worker, share: Share): Promise<Explored> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.postMessage(share);
  });
}
