/** Runs programs in folders of apps, with a Node of choice first on the PATH. */
import path from 'node:path';
import { type Ended, run } from '../../support/parts/command.ts';

export interface Place {
  readonly folder: string;
  /** Folder of the `node` to use. @default this process's */
  readonly node?: string;
}

/** An installation of all packages takes minutes on a busy machine. */
const MOST_SECONDS = 1_800;

/**
 * npm hands its own script's folder and settings on, by which another npm would take this project
 * for its own.
 */
const OF_NPM = /^(npm_(?!config_registry)|INIT_CWD$)/;

/** @throws Error with what the program wrote, unless it succeeds */
export async function succeed(program: string, args: readonly string[], { folder, node }: Place): Promise<Ended> {
  const own = Object.entries(process.env).filter(([name]) => !OF_NPM.test(name));
  const PATH = [node ?? path.dirname(process.execPath), process.env['PATH']].join(path.delimiter);
  const environment = { ...Object.fromEntries(own), PATH, CI: 'true', NO_COLOR: '1' };
  const ended = await run(program, args, MOST_SECONDS, { folder, environment });
  if (ended.status === 0) return ended;
  const output = (ended.stdout + ended.stderr).trim();
  throw new Error(`${[program, ...args].join(' ')} ended with ${ended.status}:\n${output}`);
}
