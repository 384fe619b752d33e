import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import type { InvocationResult } from '../../lambda/invocation.ts';
import type { FilterTotals } from './filter-tally.ts';
import type { ApiObservation, FromThread, ToThread } from './handler-thread.ts';

/** The handler was stopped before it returned. */
class HandlerEndedError extends Error {
  override readonly name = 'HandlerEndedError';
  constructor() {
    super('The handler was stopped before it finished. Nothing is lost: the next run continues from the saved state.');
  }
}

export interface HandlerHostOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly onApi: (observation: ApiObservation) => void;
}

/** Lambda's own upper bound, which the stack uses. */
const TIMEOUT_MILLISECONDS = 900_000;
/** Less than the handler reserves to finish and save a page, so it starts no other page. */
const HURRY_MILLISECONDS = 25_000;

/** Runs the deployed handler as Lambda does, in a thread that is reused by later invocations. */
export class HandlerHost {
  readonly #worker: Worker;
  #pending: PromiseWithResolvers<InvocationResult> | undefined;
  #filtered: FilterTotals = {};

  constructor({ environment, onApi }: HandlerHostOptions) {
    const thread = new URL('./handler-thread.ts', import.meta.url);
    this.#worker = new Worker(thread, { env: { ...environment }, stdout: true, stderr: true });
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'observed') onApi(message.observation);
      else if (message.kind === 'filtered') this.#filtered = message.totals;
      else if (message.kind === 'returned') this.#pending?.resolve(message.result as InvocationResult);
      else this.#pending?.reject(new HandlerError(message.error));
    });
    this.#worker.on('error', error => this.#pending?.reject(error));
    this.#worker.on('exit', () => this.#pending?.reject(new HandlerEndedError()));
  }

  /** The function's log and metrics. Both streams end with the thread. */
  get output(): readonly Readable[] {
    return [this.#worker.stdout, this.#worker.stderr];
  }

  /** What the filters kept and dropped, as of the end of the last invocation. */
  get filtered(): FilterTotals {
    return this.#filtered;
  }

  /** @throws HandlerError, HandlerEndedError */
  invoke(): Promise<InvocationResult> {
    this.#pending = Promise.withResolvers();
    this.#post({ kind: 'invoke', milliseconds: TIMEOUT_MILLISECONDS });
    return this.#pending.promise;
  }

  /** Lets the current invocation finish its page, save and return. */
  hurry(): void {
    this.#post({ kind: 'hurry', milliseconds: HURRY_MILLISECONDS });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}

/**
 * Writes the function's output to a file, as CloudWatch Logs would, and passes on each line.
 *
 * @returns resolves when every stream has ended and the file is written
 */
export async function keepLog(
  file: string,
  streams: readonly Readable[],
  onLine: (line: string) => void,
): Promise<void> {
  const log = createWriteStream(file, { flags: 'a' });
  for (const stream of streams) {
    stream.pipe(log, { end: false });
    createInterface({ input: stream }).on('line', onLine);
  }
  await Promise.all(streams.map(stream => finished(stream)));
  log.end();
  await finished(log);
}

/** An error as it passes between threads, without its class. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly causes: readonly string[];
}

/** An error of the handler, under its own name. */
export class HandlerError extends Error {
  override readonly name: string;
  override readonly stack: string;
  constructor({ name, message, stack, causes }: ThrownError) {
    super(message);
    this.name = name;
    this.stack = [stack, ...causes.map(cause => `caused by ${cause}`)].join('\n');
  }
}

export function thrownError(error: unknown): ThrownError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: '', causes: [] };
  const { name, message, stack = '' } = error;
  return { name, message, stack, causes: [...causes(error)] };
}

function* causes(error: Error): Generator<string> {
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  for (const cause of inner) {
    if (!(cause instanceof Error)) continue;
    yield cause.stack ?? cause.message;
    yield* causes(cause);
  }
}
