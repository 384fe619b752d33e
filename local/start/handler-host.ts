import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { InvocationResult } from '../../lambda/invocation.ts';
import type { ApiAnswer, FromHandler, ToHandler } from './handler-process.ts';

/** Lambda's own upper bound, which the stack uses. */
const TIMEOUT_MILLISECONDS = 900_000;
/** Less than the handler reserves to finish and save a page, so it starts no other page. */
const HURRY_MILLISECONDS = 25_000;

export interface HandlerHostOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** Takes the function's output, as CloudWatch Logs would. */
  readonly logFile: string;
  readonly onAnswer: (answer: ApiAnswer) => void;
  /** Called with the error of a log that cannot be written. */
  readonly onLogFailure: (error: Error) => void;
}

/** Runs the deployed handler as Lambda does, in a process that is reused by later invocations. */
export class HandlerHost {
  readonly #process: ChildProcess;
  #pending: PromiseWithResolvers<InvocationResult> | undefined;

  constructor({ environment, logFile, onAnswer, onLogFailure }: HandlerHostOptions) {
    const log = openSync(logFile, 'a');
    const file = fileURLToPath(new URL('./handler-process.ts', import.meta.url));
    this.#process = fork(file, { env: environment, stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    this.#process.on('message', (message: FromHandler) => {
      if (message.kind === 'answered') onAnswer(message.answer);
      else if (message.kind === 'log failed') onLogFailure(Object.assign(new Error(message.message), message));
      else if (message.kind === 'returned') this.#pending?.resolve(message.result as InvocationResult);
      else this.#pending?.reject(new HandlerError(message));
    });
    this.#process.on('error', error => this.#pending?.reject(error));
    this.#process.on('exit', () => this.#pending?.reject(new Error(ENDED)));
  }

  /** @throws HandlerError */
  invoke(): Promise<InvocationResult> {
    this.#pending = Promise.withResolvers();
    this.#send({ milliseconds: TIMEOUT_MILLISECONDS });
    return this.#pending.promise;
  }

  /** Lets the current invocation finish its page, save and return. */
  hurry(): void {
    this.#send({ milliseconds: HURRY_MILLISECONDS });
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  #send(message: ToHandler): void {
    if (this.#process.connected) this.#process.send(message);
  }
}

const ENDED =
  'The handler was stopped before it finished. Nothing is lost: the next run continues from the saved state.';

/** An error of the handler, under its own name. */
export class HandlerError extends Error {
  override readonly name: string;
  override readonly stack: string;
  constructor({ name, message, stack }: Pick<Extract<FromHandler, { kind: 'failed' }>, 'name' | 'message' | 'stack'>) {
    super(message);
    this.name = name;
    this.stack = stack;
  }
}
