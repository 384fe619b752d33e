/** Whether these files are a clone or the installed package, and what follows from it. */
import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder of `lib`: the clone, or the compiled files of the package. */
export const ROOT = path.join(import.meta.dirname, '..');

const PREBUILT = path.join(ROOT, 'function');

/** Folder of the function's bundle. Only the package has one, so that its users need no esbuild. */
export const PREBUILT_FUNCTION: string | undefined = existsSync(PREBUILT) ? PREBUILT : undefined;

/** How to start the operator's command here. `--no` keeps npx from downloading what is not installed. */
export const CONNECTORCTL = PREBUILT_FUNCTION ? 'npx --no connectorctl' : 'npm run connectorctl --';
