import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SynthesisInput, SynthesizedStack } from './synthesize-thread.ts';

const PROJECT_ROOT = path.join(import.meta.dirname, '..', '..');

/** Synthesizes with the feature flags of a deployment, and without the function's bundle. @throws ConfigurationError */
export async function synthesizeStack(configuration: SynthesisInput['configuration']): Promise<SynthesizedStack> {
  const { context } = JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'cdk.json'), 'utf8'));
  const outdir = await mkdtemp(path.join(tmpdir(), 'demo-synth-'));
  const workerData: SynthesisInput = { configuration, context, outdir };
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
