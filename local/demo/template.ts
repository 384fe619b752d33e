import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Template } from '../deployment/template.ts';

/** The template that `cdk deploy` would deploy for a connector, without the function's bundle. */
export async function demoTemplate(): Promise<Template> {
  const outdir = await mkdtemp(path.join(tmpdir(), 'demo-synth-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  // The template is synthesized in a thread, because the CDK needs more memory than the rest of the
  // demo, and the memory is freed when the thread ends.
  const thread = new Worker(new URL('./synthesize-thread.ts', import.meta.url), { workerData: outdir });
  try {
    // `once` rejects with an error that the thread throws.
    const [template] = (await once(thread, 'message')) as [Template];
    return template;
  } finally {
    await thread.terminate();
  }
}
