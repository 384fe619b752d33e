/** Explores scopes on all cores. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Explored } from './explore.ts';
import type { Patch } from './mutants.ts';

/** One worker's share of a scope. */
export interface Share {
  readonly scope: string;
  /** This sequence of the scope alone. */
  readonly words?: readonly string[];
  readonly shard: number;
  readonly shards: number;
  /** Stops at so many failures. */
  readonly enough: number;
}

/** More shares than cores, since sequences take unequally long. */
const SHARES = 8;

/** All of a scope. @param enough stops at so many failures */
export function exploreOnAllCores(scope: string, enough: number): Promise<Explored> {
  const shares = Array.from({ length: SHARES }, (_, shard) => ({ scope, shard, shards: SHARES, enough }));
  return onAllCores(shares, enough);
}

/** Sequences of scopes, with one line of the source broken, until one fails. */
export function hunt(sequences: readonly (readonly [scope: string, words: string])[], patch: Patch): Promise<Explored> {
  const shares = sequences.map(([scope, words]) => ({
    scope,
    words: words.split(' '),
    shard: 0,
    shards: 1,
    enough: 1,
  }));
  return onAllCores(shares, 1, patch);
}

async function onAllCores(shares: readonly Share[], enough: number, patch?: Patch): Promise<Explored> {
  const total: Explored = { histories: 0, failures: [] };
  let next = 0;
  const work = async () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: patch });
    try {
      while (next < shares.length && total.failures.length < enough) {
        const explored = await askWorker(worker, shares[next++]!);
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
    worker.removeAllListeners();
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.postMessage(share);
  });
}
