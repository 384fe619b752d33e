/** A Chromium for the tests: the one that is given, one of the system, or the pinned one of npm. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export interface Browser {
  readonly path: string;
  /** Where it is from. */
  readonly how: string;
  readonly args: readonly string[];
}

export type FoundBrowser = Browser | { readonly skipped: string };

/** The variable that gives the path of a Chromium. */
export const VARIABLE = 'CHROMIUM_PATH';

/** A Chromium for Linux as a package, so that it is had by npm alone. */
const PINNED = { name: '@sparticuz/chromium', version: '153.0.0' };
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
/** Containers run tests as root, where Chromium has no sandbox. */
const ARGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** @param fetches whether to install the pinned one where the system has none */
export async function findBrowser(environment: NodeJS.ProcessEnv, fetches = true): Promise<FoundBrowser> {
  const given = environment[VARIABLE];
  if (given) return { path: given, how: VARIABLE, args: ARGS };
  const ofSystem = onPath(environment);
  if (ofSystem) return { path: ofSystem, how: "the system's", args: ARGS };
  if (!fetches) return { skipped: `no Chromium on the PATH or in ${VARIABLE}` };
  if (process.platform !== 'linux') return { skipped: `no Chromium on the PATH, and ${PINNED.name} is for Linux` };
  try {
    return await pinned(environment);
  } catch (error) {
    return { skipped: `${PINNED.name} ${PINNED.version} could not be installed: ${(error as Error).message}` };
  }
}

function onPath({ PATH: folders = '' }: NodeJS.ProcessEnv): string | undefined {
  const candidates = folders.split(path.delimiter).flatMap(folder => NAMES.map(name => path.join(folder, name)));
  return candidates.find(candidate => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Installed once, into a cache of its own: 67 MB are too many for everybody who runs `npm ci`. */
async function pinned(environment: NodeJS.ProcessEnv): Promise<Browser> {
  const cache = path.join(environment['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'security-data-connector');
  const folder = path.join(cache, `chromium-${PINNED.version}`);
  if (!(await exists(folder))) {
    await mkdir(cache, { recursive: true });
    const staging = await mkdtemp(path.join(cache, '.fetching-'));
    try {
      await writeFile(path.join(staging, 'package.json'), '{"private":true}');
      const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
      await promisify(execFile)('npm', [...install, `${PINNED.name}@${PINNED.version}`], { cwd: staging });
      await rename(staging, folder);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  const entry = path.join(folder, 'node_modules', PINNED.name, 'build', 'index.js');
  const { default: chromium } = (await import(pathToFileURL(entry).href)) as {
    default: { executablePath(): Promise<string>; readonly args: readonly string[] };
  };
  return {
    path: await chromium.executablePath(),
    how: `${PINNED.name} ${PINNED.version}`,
    args: [...chromium.args, ...ARGS],
  };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
