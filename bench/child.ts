import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a script in a Node of its own. @returns the JSON that it prints. */
export async function inChild<T>(
  script: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeOptions, script, ...args]);
  return JSON.parse(stdout) as T;
}
