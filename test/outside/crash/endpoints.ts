import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Moment } from './trigger.ts';

export type ToEndpoints =
  | { readonly kind: 'start'; readonly directory: string; readonly secret: string }
  | { readonly kind: 'aim'; readonly pid: number; readonly moment: Moment }
  | { readonly kind: 'lift' }
  | { readonly kind: 'read' };

export type FromEndpoints =
  | {
      readonly kind: 'started';
      readonly environment: Readonly<Record<string, string>>;
      readonly deliveredFolder: string | undefined;
    }
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | { readonly kind: 'heard' }
  | { readonly kind: 'killed'; readonly action: string };

export interface Endpoints extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  /** Absent when the delivered objects do not lie in a folder. */
  readonly deliveredFolder: string | undefined;
  /** Lines delivered so far. */
  delivered(): Promise<readonly string[]>;
  /** Kills the process at that moment of its work. */
  aim(pid: number, moment: Moment): Promise<void>;
  /** Stops killing. @returns the action at which the last process was killed, if any */
  lift(): Promise<string | undefined>;
}

/** Starts endpoints-process.ts on that folder. */
export async function startEndpoints(directory: string, secret: string): Promise<Endpoints> {
  const child = spawn(process.execPath, ['--no-warnings', join(import.meta.dirname, 'endpoints-process.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const closed = once(child, 'exit');
  const ended = closed.then((): never => {
    throw new Error('The endpoints have ended');
  });
  ended.catch(() => undefined);
  let killedAt: string | undefined;
  child.on('message', (message: FromEndpoints) => {
    if (message.kind === 'killed') killedAt = message.action;
  });
  const ask = async <K extends FromEndpoints['kind']>(message: ToEndpoints, answer: K) => {
    child.send(message);
    for (;;) {
      const [received] = (await Promise.race([once(child, 'message'), ended])) as [FromEndpoints];
      if (received.kind === answer) return received as FromEndpoints & { kind: K };
    }
  };
  const { environment, deliveredFolder } = await ask({ kind: 'start', directory, secret }, 'started');
  return {
    environment,
    deliveredFolder,
    delivered: async () => (await ask({ kind: 'read' }, 'lines')).lines,
    async aim(pid, moment) {
      await ask({ kind: 'aim', pid, moment }, 'heard');
    },
    async lift() {
      await ask({ kind: 'lift' }, 'heard');
      const action = killedAt;
      killedAt = undefined;
      return action;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await closed;
    },
  };
}
