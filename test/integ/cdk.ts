import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
type Outputs = Readonly<Record<string, string>>;

/** Deploys a stack of app.ts. @returns its outputs */
export async function deploy(stack: string, context: Readonly<Record<string, string>>): Promise<Outputs> {
  const folder = await mkdtemp(join(tmpdir(), 'integ-'));
  try {
    const file = join(folder, 'outputs.json');
    await cdk('deploy', stack, context, ['--require-approval', 'never', '--outputs-file', file]);
    return JSON.parse(await readFile(file, 'utf8'))[stack];
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function destroy(stack: string, context: Readonly<Record<string, string>>): Promise<void> {
  await cdk('destroy', stack, context, ['--force']);
}

async function cdk(
  verb: string,
  stack: string,
  context: Readonly<Record<string, string>>,
  more: string[],
): Promise<void> {
  const options = Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  const app = ['--app', 'node test/integ/app.ts', '--output', 'cdk.out/integ', '--exclusively'];
  const args = [verb, stack, ...app, ...options, ...more];
  const child = spawn(join(ROOT, 'node_modules', '.bin', 'cdk'), args, { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`cdk ${verb} ${stack} ended with ${code}`);
}
