/** One core's share of the work, with one line of the source broken where that is asked for. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { Task } from './pool.ts';

export interface Patch {
  readonly file: string;
  readonly line: string;
  readonly broken: string;
}

const patch = workerData as Patch | undefined;
if (patch) {
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.endsWith(`/${patch.file}`)) return nextLoad(url, context);
      const source = readFileSync(new URL(url), 'utf8');
      return {
        format: 'module-typescript',
        source: source.replace(patch.line, () => patch.broken),
        shortCircuit: true,
      };
    },
  });
}

// Imported after the hook, which must see the source first.
const { explore } = await import('./explore.ts');
const { drawHistories } = await import('./random.ts');

parentPort?.on('message', async (task: Task) => {
  parentPort?.postMessage(await ('line' in task ? explore(task.line) : drawHistories(task)));
});
