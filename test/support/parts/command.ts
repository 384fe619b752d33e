import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';

/**
 * The command is not there, failed, or took too long. The message quotes the first line that speaks
 * of an error, or the last.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

const ROOT = join(import.meta.dirname, '..', '..', '..');

export interface Ended {
  readonly status: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  /** @default the project's */
  readonly folder?: string;
  /** @default this process's */
  readonly environment?: NodeJS.ProcessEnv;
  /** Called with the process before its output is read. */
  readonly onStart?: ((child: ChildProcessByStdio<null, Readable, Readable>) => void) | undefined;
}

/**
 * Runs a command to its end, quietly, in a process group that a time-out ends as a whole.
 *
 * @throws CommandError if it cannot be run
 */
export async function run(
  file: string,
  args: readonly string[],
  seconds: number,
  { folder = ROOT, environment = process.env, onStart }: Surroundings = {},
): Promise<Ended> {
  const child = spawn(file, args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  onStart?.(child);
  const stop = (): void => void (child.pid && endGroup(child.pid, 'SIGKILL'));
  process.once('exit', stop);
  const timer = setTimeout(stop, seconds * 1000);
  try {
    const [status, ...output] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    const [stdout = '', stderr = ''] = output.map(stripVTControlCharacters);
    return { status, stdout, stderr };
  } catch (cause) {
    throw new CommandError(`${file} could not be run`, { cause });
  } finally {
    clearTimeout(timer);
    process.off('exit', stop);
  }
}

/** @returns what it wrote @throws CommandError also if it fails */
export async function command(
  file: string,
  args: readonly string[],
  seconds: number,
  surroundings: Surroundings = {},
): Promise<string> {
  const { status, stdout, stderr } = await run(file, args, seconds, surroundings);
  const words = (stdout + stderr).trim();
  if (status !== 0) throw new CommandError(`${file} ended with ${status}: ${gist(words)}`);
  return words;
}

function gist(words: string): string {
  const lines = words.split('\n');
  return (lines.find(line => /error/i.test(line)) ?? lines.at(-1) ?? '').slice(0, 300);
}

/** Sends a signal to every process of a group. Does nothing when the group has ended. */
export function endGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
