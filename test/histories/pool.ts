/** Plays lines, or draws histories, on all cores. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { addCounts, type Explored, nothingExplored } from './explore.ts';
import type { Draw } from './random.ts';
import type { Patch } from './worker.ts';

export type Task = { readonly line: string } | Draw;

export interface PoolOptions {
  /** Stops at so many failures. @default 5 */
  readonly enough?: number;
  /** The line of the source that is broken. */
  readonly patch?: Patch;
}

const MOST_FAILURES = 5;

/** @param tasks taken one after the other, as the cores become free */
export async function onAllCores(
  tasks: Iterable<Task>,
  { enough = MOST_FAILURES, patch }: PoolOptions = {},
): Promise<Explored> {
  const total = nothingExplored();
  const left = tasks[Symbol.iterator]();
  const work = async () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: patch });
    try {
      while (total.failures.length < enough) {
        const { value: task, done } = left.next();
        if (done) return;
        const { histories, failures, befell } = await ask(worker, task);
        total.histories += histories;
        total.failures.push(...failures);
        addCounts(total.befell, befell);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return total;
}

function ask(worker: Worker, task: Task): Promise<Explored> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.postMessage(task);
  });
}
