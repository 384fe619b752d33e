/** An operator's shell: `connectorctl` in processes of its own. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { PROJECT_ROOT } from '../../lib/synth.ts';
import { compileCache } from './compile-cache.ts';

/** What is tested: the sources, or what `npm run test:package` installed, with the Node that it is to run on. */
const INSTALLED = process.env['INSTALLED_CONNECTORCTL']?.split(' ');
export const [NODE, PROGRAM] = (INSTALLED ?? [process.execPath, path.join(PROJECT_ROOT, 'bin', 'connectorctl.ts')]) as [
  string,
  string,
];

/** Whoever installed the package types another command. Nothing else of what is printed differs. */
function asInClone(printed: string): string {
  return INSTALLED ? printed.replaceAll('npx --no connectorctl', 'npm run connectorctl --') : printed;
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<Ended>;
}

export interface Shell {
  readonly environment: Readonly<Record<string, string>>;
  /** @default the project's */
  readonly folder?: string;
}

/** Without a terminal. */
export function start(args: readonly string[], { environment, folder = PROJECT_ROOT }: Shell): Started {
  const child = spawn(NODE, [PROGRAM, ...args], {
    env: { NODE_COMPILE_CACHE: compileCache(), ...environment },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(([[status], stdout, stderr]) => {
    return { status, stdout: asInClone(stdout), stderr: asInClone(stderr) };
  });
  return { child, ended };
}
