/** An operator's shell: `connectorctl` in this process, or in processes of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { PrepareClient } from '../../../bin/ctl/aws.ts';
import { connectorctl } from '../../../bin/ctl/command-line.ts';
import type { Clock } from '../../../lambda/ports.ts';
import { ROOT } from '../../documents/pages.ts';

export const PROGRAM = path.join(ROOT, 'bin', 'connectorctl.ts');

/** Halves the CPU time of a process, because it finds its modules compiled. */
export const COMPILED_MODULES = { NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules', '.cache', 'compiled') };

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Ctrl-C. */
  interrupt(): void;
  readonly ended: Promise<Ended>;
}

export interface Typed {
  readonly environment: Readonly<Record<string, string>>;
  /** @default the project's */
  readonly folder?: string;
  /** What a pipe brings. @default nothing */
  readonly input?: string;
  /** @default the machine's. A process has that one. */
  readonly clock?: Clock;
  /** A terminal with colours, on which the command can ask. A process has none. */
  readonly interactive?: boolean;
  /** Answers in place of AWS. A process reaches the endpoints in its environment. */
  readonly prepareClient?: PrepareClient;
}

/** In a process of its own, without a terminal. */
export function startProcess(args: readonly string[], typed: Typed): Started {
  const { environment, folder = ROOT, input = '' } = typed;
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...COMPILED_MODULES, ...environment },
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const closed = once(child as ChildProcess, 'close') as Promise<[number | null]>;
  const { stdin, stdout, stderr } = child;
  // A program that reads nothing closes the pipe.
  stdin.on('error', () => undefined).end(input);
  const interrupt = () => void child.kill('SIGINT');
  return {
    stdin,
    stdout,
    stderr,
    interrupt,
    ended: endedOf(
      stdout,
      stderr,
      closed.then(([status]) => status),
    ),
  };
}

/** In this process. */
export function start(args: readonly string[], typed: Typed): Started {
  const { environment, folder = ROOT, interactive = false, input = '', clock, prepareClient } = typed;
  const terminal = () => Object.assign(new PassThrough(), interactive && { isTTY: true, hasColors: () => true });
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()];
  if (!interactive) stdin.end(input);
  const interruption = new AbortController();
  const shell = { stdin, stdout, stderr, environment, folder };
  const status = connectorctl(args, {
    shell,
    signal: interruption.signal,
    ...(clock && { clock }),
    ...(prepareClient && { prepareClient }),
  }).finally(() => {
    stdout.end();
    stderr.end();
  });
  return { stdin, stdout, stderr, interrupt: () => interruption.abort(), ended: endedOf(stdout, stderr, status) };
}

async function endedOf(stdout: Readable, stderr: Readable, status: Promise<number | null>): Promise<Ended> {
  // The text of a stream that the test closed does not matter.
  const all = (output: Readable) => text(output).catch(() => '');
  const [printed, said, ended] = await Promise.all([all(stdout), all(stderr), status]);
  return { status: ended, stdout: printed, stderr: said };
}
