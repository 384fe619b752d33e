import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { InvocationResult } from '../../lambda/invocation.ts';
import type { ApiObservation } from './api-observation.ts';
import type { FromThread, ToThread } from './handler-thread.ts';
import { HandlerError } from './thrown-error.ts';

/** The handler was ended before it had returned; what it had saved stands. */
class HandlerEndedError extends Error {
  override readonly name = 'HandlerEndedError';
  constructor() {
    super('The handler was stopped amid its work. What was saved stands, so nothing is lost; the next run goes on.');
  }
}

export interface HandlerHostOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly onApi: (observation: ApiObservation) => void;
}

/** Lambda's own upper bound, which the stack uses. */
const TIMEOUT_MILLISECONDS = 900_000;
/** Less than what the handler keeps to finish its page and save, so it starts no further one. */
const HURRY_MILLISECONDS = 25_000;

/** Runs the deployed handler as Lambda does, in a thread that stays for further invocations. */
export class HandlerHost {
  readonly #worker: Worker;
  #settle: PromiseWithResolvers<InvocationResult> | undefined;

  constructor({ environment, onApi }: HandlerHostOptions) {
    const thread = new URL('./handler-thread.ts', import.meta.url);
    this.#worker = new Worker(thread, { env: { ...environment }, stdout: true, stderr: true });
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'observed') onApi(message.observation);
      else if (message.kind === 'returned') this.#settle?.resolve(message.result as InvocationResult);
      else this.#settle?.reject(new HandlerError(message.error));
    });
    this.#worker.on('error', error => this.#settle?.reject(error));
    this.#worker.on('exit', () => this.#settle?.reject(new HandlerEndedError()));
  }

  /** What the function writes: its log and metrics. Both end with the thread. */
  get output(): readonly Readable[] {
    return [this.#worker.stdout, this.#worker.stderr];
  }

  /** @throws HandlerError, HandlerEndedError */
  invoke(): Promise<InvocationResult> {
    this.#settle = Promise.withResolvers();
    this.#tell({ kind: 'invoke', milliseconds: TIMEOUT_MILLISECONDS });
    return this.#settle.promise;
  }

  /** Lets the invocation under way finish its page, save, and return. */
  hurry(): void {
    this.#tell({ kind: 'hurry', milliseconds: HURRY_MILLISECONDS });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}
