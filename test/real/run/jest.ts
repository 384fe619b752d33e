import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Running, VARIABLE } from '../running.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Runs these test files on these parts, jest's summary at the end. @returns the exit code */
export async function jest(files: readonly string[], parts: Running): Promise<number> {
  const node = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
  const child = spawn(
    process.execPath,
    [...node, '--config', 'test/real/jest.config.mjs', '--runTestsByPath', ...files],
    {
      cwd: ROOT,
      env: { ...process.env, [VARIABLE]: JSON.stringify(parts) },
      stdio: 'inherit',
    },
  );
  // Even an error here that nobody expected leaves nothing behind.
  const stop = (): void => void child.kill('SIGKILL');
  process.once('exit', stop);
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('exit', stop);
  return code ?? 1;
}
