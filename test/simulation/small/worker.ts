/** One core's share of a scope, with one line of the source broken where that is asked for. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { Patch } from './mutants.ts';
import type { Share } from './pool.ts';

const patch = workerData as Patch | undefined;
if (patch) {
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.endsWith(`/${patch.file}`)) return nextLoad(url, context);
      const source = readFileSync(new URL(url), 'utf8');
      return { format: 'module-typescript', source: source.replace(patch.line, patch.broken), shortCircuit: true };
    },
  });
}

// Imported after the hook, which must see the source first.
const { explore, exploreOne } = await import('./explore.ts');
const { SCOPES } = await import('./scopes.ts');

parentPort?.on('message', async ({ scope, words, shard, shards, enough }: Share) => {
  const found = SCOPES.find(({ name }) => name === scope)!;
  parentPort?.postMessage(
    await (words ? exploreOne(words, found, undefined, enough) : explore(found, shard, shards, enough)),
  );
});
