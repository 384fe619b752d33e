import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Another running process uses the folder. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
}

/**
 * Locks a folder for this process. A lock that a killed process left behind is taken over.
 *
 * @returns a function that releases the lock
 * @throws DirectoryInUseError
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'in-use-by.pid');
  const take = () => writeFile(file, String(process.pid), { flag: 'wx' });
  try {
    await take();
  } catch (cause) {
    const holder = Number(await readFile(file, 'utf8'));
    if (holder === process.pid || isRunning(holder)) {
      const message = `${directory} is in use by process ${holder}. Stop that process, or choose another folder. If it is an unrelated process, delete ${file}.`;
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
    // Signal 0 only checks whether the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
