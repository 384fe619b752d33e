import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

export interface Serving<T> extends Disposable {
  /** The JSON of the first line that the process printed. */
  readonly line: T;
}

/** Starts a script in a Node process, which runs until it is disposed of. It takes over no options of this one, which may be the measured one. */
export async function serving<T>(script: string, args: readonly string[]): Promise<Serving<T>> {
  const { NODE_OPTIONS: _, MALLOC_ARENA_MAX: __, ...env } = process.env;
  const child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${script} ended with ${code}`);
  });
  failed.catch(() => undefined);
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failed]);
  return { line: JSON.parse(line) as T, [Symbol.dispose]: () => void child.kill() };
}

/** Runs a script in a Node process. @returns the JSON that it prints. */
export async function inChild<T>(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<T> {
  const env = { ...process.env, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env });
  return JSON.parse(stdout) as T;
}

/** A new folder, deleted when it is disposed of. */
export async function temporaryFolder(name: string): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), `bench-${name}-`));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
