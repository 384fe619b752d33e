/** Parts are fetched once, each into a folder of the cache that is complete or not there. */
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { command } from './command.ts';

/** A download may take this long. */
export const FETCH_SECONDS = 300;

export interface Fetched {
  readonly folder: string;
  readonly cached: boolean;
}

export function defaultCache(environment: NodeJS.ProcessEnv, folder = 'real'): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'security-data-connector', folder);
}

/** @param fill puts the part into the folder that it is given */
export async function fetchOnce(
  cache: string,
  name: string,
  fill: (folder: string) => Promise<void>,
): Promise<Fetched> {
  const folder = join(cache, name);
  if (await exists(folder)) return { folder, cached: true };
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(join(cache, '.fetching-'));
  try {
    await fill(staging);
    await rename(staging, folder).catch(async error => {
      // Another run was faster.
      if (!(await exists(folder))) throw error;
    });
    return { folder, cached: false };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Packages of Python in an environment of their own.
 *
 * @param packages arguments of `pip install`
 * @throws CommandError
 */
export async function installPython(folder: string, ...packages: readonly string[]): Promise<void> {
  await command('python3', ['-m', 'venv', folder], FETCH_SECONDS);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await command(join(folder, 'bin', 'python'), [...pip, ...packages], FETCH_SECONDS);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
