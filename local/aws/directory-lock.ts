import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder is in use by another process that is still running. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
}

/**
 * Takes a folder for this process; returns what gives it back. A lock that a killed process left behind is taken over.
 *
 * @throws DirectoryInUseError
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'in-use-by.pid');
  const take = () => writeFile(file, String(process.pid), { flag: 'wx' });
  try {
    await take();
  } catch (cause) {
    const owner = Number(await readFile(file, 'utf8'));
    if (owner === process.pid || isRunning(owner)) {
      const message = `${directory} is in use by process ${owner}. Stop it first, or choose another folder; if that process is something else, delete ${file}.`;
      throw new DirectoryInUseError(message, { cause });
    }
    await rm(file);
    await take();
  }
  return () => rm(file, { force: true });
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    // Signal 0 only asks whether the process is there.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
