import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { closeServer, listenOnLoopback } from '../../../local/api-simulator/server.ts';
import { endGroup } from './command.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** How a part is started. */
export interface PartLaunch {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Answers as soon as the part can be used. */
  readonly health: string;
  /** The words that the part writes once it can be used, if it answers before. */
  readonly says?: string;
}

/** A part that was fetched did not come up: unlike one that is not to be had, this is a failure. */
export class PartFailedError extends Error {
  override readonly name = 'PartFailedError';
}

/** Keycloak takes 15 seconds on an idle machine, and minutes on a busy one. */
const START_SECONDS = 300;
const STOP_SECONDS = 10;
const LINES_KEPT = 20;

export interface StartedPart {
  /** The id of the process that was started, and of its group. */
  readonly pid: number;
  /** The latest lines that it wrote. */
  readonly last: readonly string[];
  /** Ends every process of the part. */
  stop(): Promise<void>;
}

/** Starts a part in a process group of its own, and waits until it answers. */
export async function startPart(launch: PartLaunch): Promise<StartedPart> {
  // Some write where they are started.
  const folder = await temporaryFolder('real-part-');
  const child = spawn(launch.file, launch.args, {
    cwd: folder.path,
    env: { ...process.env, ...launch.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const words = wordsOf(child, launch.says);
  let ended = false;
  const closed = new Promise<void>(resolve => {
    child.once('close', () => {
      ended = true;
      resolve();
    });
  });
  const kill = (signal: NodeJS.Signals): void => void (child.pid && endGroup(child.pid, signal));
  const killNow = (): void => kill('SIGKILL');
  // The part must not outlive this process, even if an unexpected error ends it.
  process.once('exit', killNow);
  const stop = async (): Promise<void> => {
    kill('SIGTERM');
    await soon(closed);
    killNow();
    await closed;
    process.off('exit', killNow);
    await folder[Symbol.asyncDispose]();
  };
  if (await answers(launch.health, { said: () => words.said, ended: () => ended }))
    return { pid: child.pid!, last: words.last, stop };
  await stop();
  throw new PartFailedError(`It did not come up. Its last words:\n${words.last.join('\n')}`);
}

interface Words {
  readonly last: readonly string[];
  /** Whether it has said that it can be used, or was not expected to say so. */
  readonly said: boolean;
}

/** The latest lines that a process writes, kept up to date. */
function wordsOf(child: ChildProcessByStdio<null, Readable, Readable>, says: string | undefined): Words {
  const last: string[] = [];
  const words = { last, said: says === undefined };
  const keep = (line: string): void => {
    words.said ||= line.includes(says!);
    last.push(line);
    last.splice(0, last.length - LINES_KEPT);
  };
  for (const output of [child.stdout, child.stderr]) createInterface(output).on('line', keep);
  child.once('error', error => keep(error.message));
  return words;
}

/** Waits for something, but not for long. */
async function soon(promise: Promise<void>): Promise<void> {
  const over = new AbortController();
  const retryBudget = pause(STOP_SECONDS * 1000, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([promise, retryBudget]);
  over.abort();
}

/** Asks until there is an answer, whatever it says, or the time is over. */
async function answers(url: string, part: { said: () => boolean; ended: () => boolean }): Promise<boolean> {
  const deadline = Date.now() + START_SECONDS * 1000;
  while (Date.now() < deadline && !part.ended()) {
    const answered = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      response => response.status < 500,
      () => false,
    );
    if (answered && part.said()) return true;
    await pause(100);
  }
  return false;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server, 0));
  await closeServer(server);
  return Number(port);
}
