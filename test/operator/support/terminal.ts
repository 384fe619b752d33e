/**
 * `connectorctl` on a pseudo-terminal, by script(1) of util-linux, which writes to the terminal
 * what it reads itself.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../../documents/pages.ts';
import { COMPILED_MODULES, PROGRAM } from './shell.ts';

/** Elsewhere script(1) takes other options, or is not there. */
export const HAS_TERMINAL = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');

export interface Terminal {
  /** Resolves once the screen shows it. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** Exit status. */
  readonly ended: Promise<number | null>;
}

export const CTRL_C = '\u0003';

export function terminal(args: readonly string[], environment: Readonly<Record<string, string>>): Terminal {
  const quoted = [process.execPath, PROGRAM, ...args].map(each => `'${each}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', `exec ${quoted}`, '/dev/null'], {
    env: {
      ...COMPILED_MODULES,
      ...environment,
      TERM: 'xterm',
      SHELL: '/bin/sh',
      PATH: process.env['PATH'] ?? '',
    },
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  const waiting = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    screen += part;
    for (const look of waiting) look();
  });
  return {
    shows: text =>
      new Promise(resolve => {
        const look = () => {
          if (!screen.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    type: keys => void child.stdin.write(keys),
    ended: once(child, 'close').then(([status]) => status),
  };
}
