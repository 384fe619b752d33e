import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { InvocationResult } from '../../../lambda/invocation.ts';

export interface FunctionRun {
  /** The result of each invocation, or the name and message of its error. */
  readonly outcomes: readonly (InvocationResult | { readonly error: string })[];
  /** The errors of the handler as Lambda prints them, with all members and causes. */
  readonly rejections: string;
  /** Largest resident memory, in megabytes. */
  readonly peakMegabytes: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Imports the module, invokes its handler with each payload, and returns the outcomes apart from
 * what it logs.
 */
const MAIN = `
import { writeSync } from 'node:fs';
import { inspect } from 'node:util';
const [module, payloads, milliseconds] = process.argv.slice(1);
const { handler } = await import(module);
const outcomes = [];
let rejections = '';
for (const payload of JSON.parse(payloads)) {
  const end = Date.now() + Number(milliseconds);
  const context = { getRemainingTimeInMillis: () => end - Date.now() };
  outcomes.push(await handler(payload, context).catch(error => {
    rejections += inspect(error, { depth: Infinity, showHidden: true, maxStringLength: null }) + '\\n';
    return { error: error.name + ': ' + error.message };
  }));
}
const peakMegabytes = process.resourceUsage().maxRSS / 1024;
writeSync(3, JSON.stringify({ outcomes, rejections, peakMegabytes }));
`;

/**
 * The time-out that the stack sets, because with a shorter one an outcome would depend on how busy
 * the machine is.
 */
const TIMEOUT_MILLISECONDS = 900_000;

interface StartedFunction {
  /** Kills the process. @returns whether it had not ended before */
  kill(): boolean;
  readonly ended: Promise<FunctionRun>;
}

/** Starts the process of `functionProcess`, for tests that kill it. */
export function startFunction(
  module: URL,
  environment: Readonly<Record<string, string>>,
  payloads: readonly unknown[] = [{}],
  milliseconds = TIMEOUT_MILLISECONDS,
): StartedFunction {
  const argv = ['--input-type=module', '--eval', MAIN, module.href, JSON.stringify(payloads), String(milliseconds)];
  const child = spawn(process.execPath, argv, {
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...environment },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  const [, out, err, results] = child.stdio;
  if (!out || !err || !results || !('readable' in results)) throw new Error('The process has no output');
  const output = Promise.all([text(out), text(err), text(results), closed]);
  const ended = output.then(([stdout, stderr, outcomes, [code, signal]]): FunctionRun => {
    const said = outcomes === '' ? { outcomes: [], rejections: '', peakMegabytes: 0 } : JSON.parse(outcomes);
    return { ...said, stdout, stderr, code, signal };
  });
  return { kill: () => child.kill('SIGKILL'), ended };
}

/**
 * A bare Node process with nothing in its environment but what is given and the folder of compiled
 * modules, as Lambda starts it.
 *
 * @param milliseconds until the time-out of each invocation
 */
export function functionProcess(...given: Parameters<typeof startFunction>): Promise<FunctionRun> {
  return startFunction(...given).ended;
}

export const HANDLER = new URL('../../../lambda/handler.ts', import.meta.url);
