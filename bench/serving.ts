import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Serving<T> extends Disposable {
  /** The JSON of the process's first line. */
  readonly told: T;
}

/** Starts a script in a Node of its own that stays until it is disposed of. */
export async function serving<T>(script: string, args: readonly string[]): Promise<Serving<T>> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${script} ended with ${code}`);
  });
  failed.catch(() => undefined);
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failed]);
  return { told: JSON.parse(line) as T, [Symbol.dispose]: () => void child.kill() };
}
