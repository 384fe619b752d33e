/** A Chromium for the tests: the one that is given, or one of the system. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The variable that gives the path of a Chromium. */
const VARIABLE = 'CHROMIUM_PATH';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

/** @returns the path of a Chromium @throws Error if there is none */
export function findBrowser({ [VARIABLE]: given, PATH: folders = '' }: NodeJS.ProcessEnv): string {
  const candidates = folders.split(path.delimiter).flatMap(folder => NAMES.map(name => path.join(folder, name)));
  const found = given || candidates.find(isExecutable);
  if (!found) throw new Error(`there is no Chromium on the PATH or in ${VARIABLE}`);
  return found;
}

function isExecutable(candidate: string): boolean {
  try {
    accessSync(candidate, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
