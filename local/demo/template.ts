import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SynthesisInput, SynthesizedStack } from './synthesize-thread.ts';

/** Synthesizes with the feature flags of a deployment, and without the function's bundle. @throws ConfigurationError */
export async function synthesizeStack(configuration: SynthesisInput['configuration']): Promise<SynthesizedStack> {
  const outdir = await mkdtemp(path.join(tmpdir(), 'demo-synth-'));
  const workerData: SynthesisInput = { configuration, outdir };
  const thread = new Worker(new URL('./synthesize-thread.ts', import.meta.url), { workerData });
  try {
    // `once` rejects with what the thread throws.
    const [stack] = (await once(thread, 'message')) as [SynthesizedStack];
    return stack;
  } finally {
    await thread.terminate();
    await rm(outdir, { recursive: true, force: true });
  }
}
