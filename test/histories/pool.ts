/** Plays lines, or draws histories, on all cores. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Explored, Failure } from './explore.ts';
import type { Draw } from './random.ts';
import type { Patch } from './worker.ts';

export type Task = { readonly line: string } | Draw;

/** More of them would tell nothing new. */
const MOST_FAILURES = 5;

/**
 * @param tasks taken one after the other, as the cores become free
 * @param patch the line of the source that is broken: the first failure is enough then
 */
export async function onAllCores(tasks: Iterable<Task>, patch?: Patch): Promise<Explored> {
  let histories = 0;
  const failures: Failure[] = [];
  const left = tasks[Symbol.iterator]();
  const work = async () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: patch });
    try {
      while (failures.length < (patch ? 1 : MOST_FAILURES)) {
        const { value: task, done } = left.next();
        if (done) return;
        worker.postMessage(task);
        const [explored] = (await once(worker, 'message')) as [Explored];
        histories += explored.histories;
        failures.push(...explored.failures);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return { histories, failures };
}
