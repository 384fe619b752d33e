import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { InvocationResult } from '../../../lambda/invocation.ts';

export type Outcome = InvocationResult | { readonly error: string } | 'killed';

export interface ConnectorProcess {
  readonly pid: number;
  readonly ended: Promise<Outcome>;
}

/** One invocation of the function in a process with nothing but its environment. */
export function startConnector(module: URL, environment: Readonly<Record<string, string>>): ConnectorProcess {
  const main = join(import.meta.dirname, 'invoke-once.ts');
  const child = spawn(process.execPath, ['--no-warnings', main, module.href], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, out, err, answered] = child.stdio;
  if (!out || !err || !answered || !('readable' in answered) || child.pid === undefined) {
    throw new Error('The connector could not be started');
  }
  out.resume();
  const closed = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  const ended = Promise.all([closed, text(answered), text(err)]).then(([[code, signal], outcome, stderr]): Outcome => {
    if (signal === 'SIGKILL') return 'killed';
    return outcome === '' ? { error: `exit ${code ?? signal}: ${stderr}` } : JSON.parse(outcome);
  });
  return { pid: child.pid, ended };
}
