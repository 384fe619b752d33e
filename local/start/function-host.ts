import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { InvocationResult } from '../../lambda/invocation.ts';
import type { ApiAnswer, MessageFromFunction, MessageToFunction } from './function-process.ts';

/** Longest time-out that Lambda allows. The stack uses it, too. */
const TIMEOUT_MILLISECONDS = 900_000;
/**
 * Time that a run has left after Ctrl-C. It is less than the time that the function reserves to
 * finish and save a page, so the function does not start another page.
 */
const HURRY_MILLISECONDS = 25_000;

export interface FunctionHostOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** Folder of the state and of the delivered files. */
  readonly folder: string;
  readonly secret: string;
  /** File for the function's output, in place of CloudWatch Logs. */
  readonly logFile: string;
  readonly onAnswer: (answer: ApiAnswer) => void;
  /** Called with the error of a file that cannot be read or written. The run must then end. */
  readonly onFilesFailure: (error: Error) => void;
}

/** Runs the function as Lambda does, in a process that is reused by later invocations. */
export class FunctionHost {
  readonly #process: ChildProcess;
  #pending: PromiseWithResolvers<InvocationResult> | undefined;

  constructor({ environment, folder, secret, logFile, onAnswer, onFilesFailure }: FunctionHostOptions) {
    const log = openSync(logFile, 'a');
    const file = fileURLToPath(new URL('./function-process.ts', import.meta.url));
    this.#process = fork(file, { env: environment, stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    this.#process.on('message', (message: MessageFromFunction) => {
      if (message.kind === 'answered') onAnswer(message.answer);
      else if (message.kind === 'files failed')
        onFilesFailure(Object.assign(new Error(message.error.message), message.error));
      else if (message.kind === 'returned') this.#pending?.resolve(message.result as InvocationResult);
      else this.#pending?.reject(new FunctionError(message));
    });
    this.#process.on('error', error => this.#pending?.reject(error));
    this.#process.on('exit', () => this.#pending?.reject(new Error(ENDED)));
    this.#send({ kind: 'open', folder, secret });
  }

  /** @throws FunctionError */
  invoke(): Promise<InvocationResult> {
    this.#pending = Promise.withResolvers();
    this.#send({ kind: 'invoke', milliseconds: TIMEOUT_MILLISECONDS });
    return this.#pending.promise;
  }

  /** Lets the current invocation finish its page, save the checkpoint and return. */
  hurry(): void {
    this.#send({ kind: 'hurry', milliseconds: HURRY_MILLISECONDS });
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  #send(message: MessageToFunction): void {
    if (this.#process.connected) this.#process.send(message);
  }
}

const ENDED =
  'The function was stopped before it finished. Nothing is lost: the next run continues from the saved state.';

/** An error of the function, with the name of the original class. */
export class FunctionError extends Error {
  override readonly name: string;
  override readonly stack: string;
  constructor({ name, message, stack }: Pick<MessageFromFunction & { kind: 'failed' }, 'name' | 'message' | 'stack'>) {
    super(message);
    this.name = name;
    this.stack = stack;
  }
}
