import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endGroup } from '../../../support/parts/command.ts';
import { type Running, VARIABLE } from '../running.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const JEST = ['--no-warnings', 'node_modules/jest/bin/jest.js'];

/** Runs these test files on these parts, jest's summary at the end. @returns the exit code */
export function jest(files: readonly string[], parts: Running): Promise<number> {
  return runJest('test/outside/real/jest.config.mjs', files, { [VARIABLE]: JSON.stringify(parts) });
}

/** @returns the exit code */
export async function runJest(
  config: string,
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const args = [...JEST, '--config', config, '--runTestsByPath', ...files];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
    // A process group, so that its workers end with it, on an interrupt or an unexpected error.
    detached: true,
  });
  const stop = (): void => void (child.pid && endGroup(child.pid, 'SIGKILL'));
  process.once('exit', stop);
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('exit', stop);
  return code ?? 1;
}
