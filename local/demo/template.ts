import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Template } from '../deployment/template.ts';

const PROJECT_ROOT = path.join(import.meta.dirname, '..', '..');

/** The stack that `cdk deploy` would deploy for one entry of the configuration. */
export interface SynthesizedStack {
  readonly connector: string;
  readonly stackName: string;
  readonly template: Template;
}

export interface SynthesisOrder {
  /** One entry of the context `connectors`. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly outdir: string;
}

/** Synthesizes with the feature flags of a deployment, and without the function's bundle. @throws ConfigurationError */
export async function synthesizeStack(configuration: SynthesisOrder['configuration']): Promise<SynthesizedStack> {
  const { context } = JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'cdk.json'), 'utf8'));
  const outdir = await mkdtemp(path.join(tmpdir(), 'demo-synth-'));
  const order: SynthesisOrder = { configuration, context, outdir };
  const thread = new Worker(new URL('./synthesize-thread.ts', import.meta.url), { workerData: order });
  try {
    // `once` rejects with what the thread throws.
    const [stack] = (await once(thread, 'message')) as [SynthesizedStack];
    return stack;
  } finally {
    await thread.terminate();
    await rm(outdir, { recursive: true, force: true });
  }
}
