/** A Chromium for the tests: the one that is given, or one of the system. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

export interface Browser {
  readonly path: string;
  /** Where it is from. */
  readonly how: string;
  readonly args: readonly string[];
}

export type FoundBrowser = Browser | { readonly skipped: string };

/** The variable that gives the path of a Chromium. */
export const VARIABLE = 'CHROMIUM_PATH';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
/** Containers run tests as root, where Chromium has no sandbox. */
const ARGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export function findBrowser(environment: NodeJS.ProcessEnv): FoundBrowser {
  const given = environment[VARIABLE];
  if (given) return { path: given, how: VARIABLE, args: ARGS };
  const ofSystem = onPath(environment);
  if (ofSystem) return { path: ofSystem, how: "the system's", args: ARGS };
  return { skipped: `no Chromium on the PATH or in ${VARIABLE}` };
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
