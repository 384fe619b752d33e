/**
 * Finds out whether these files are a clone or the installed package, because some values depend on
 * it.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder that contains `lib`: the clone, or the compiled files of the package. */
export const ROOT = path.join(import.meta.dirname, '..');

const PREBUILT = path.join(ROOT, 'function');

/**
 * Folder of the function's bundle. Only the package has this folder, so that its users do not need
 * esbuild.
 */
export const PREBUILT_FUNCTION_FOLDER: string | undefined = existsSync(PREBUILT) ? PREBUILT : undefined;

/**
 * Command that starts connectorctl, and the folder in which it is started. `--no` keeps `npx`
 * from downloading a missing package.
 */
export const CONNECTORCTL = PREBUILT_FUNCTION_FOLDER
  ? { command: 'npx --no -- connectorctl', folder: 'the folder of your CDK app', note: '' }
  : {
      command: 'npm run connectorctl --',
      folder: 'a clone of the connector',
      note: ' npm takes options before "--" for itself.',
    };
