/** The process of the deployed handler. Like a container of Lambda, it has its own environment and output. */
import { subscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { StreamsFailedError } from '../../lambda/core/errors.ts';

/** How many milliseconds are left. The first message starts the handler, a later one shortens its time. */
export type ToHandler = { readonly milliseconds: number };

export type FromHandler =
  | { readonly kind: 'answered'; readonly answer: ApiAnswer }
  | { readonly kind: 'returned'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly stack: string }
  /** The log cannot be written, as on a full disk. */
  | { readonly kind: 'log failed'; readonly code: string | undefined; readonly message: string };

/** The answer to a request of this process's `fetch`, which is only used for the API and the token endpoint. */
export interface ApiAnswer {
  /** URL without its query, which holds cursors. */
  readonly url: string;
  /** HTTP status; absent when there was no answer. */
  readonly status?: number | undefined;
  /** The network error, when there was no answer. */
  readonly problem?: string;
}

interface FetchMessage {
  readonly request: { readonly origin: string | URL; readonly path: string };
  readonly response?: { readonly statusCode: number };
  readonly error?: Error & { readonly errors?: readonly Error[] };
}

let deadline = Number.POSITIVE_INFINITY;
let isRunning = false;

// Node's diagnostics, so that the observed code is exactly the deployed code.
for (const channel of ['undici:request:headers', 'undici:request:error']) {
  subscribe(channel, message => {
    const { request, response, error } = message as FetchMessage;
    const url = `${String(request.origin).replace(/\/$/, '')}${request.path.split('?')[0]}`;
    // A host with several addresses fails with one error for each, and no message of its own.
    const problem = error && (error.message || error.errors?.[0]?.message || error.name);
    post({ kind: 'answered', answer: { url, status: response?.statusCode, ...(problem && { problem }) } });
  });
}

process.on('message', ({ milliseconds }: ToHandler) => {
  const end = Date.now() + milliseconds;
  deadline = isRunning ? Math.min(deadline, end) : end;
  if (!isRunning) void invoke();
});

// The console ignores errors of its output. But the metrics of the run are in the log, so the run cannot go without it.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', ({ code, message }: NodeJS.ErrnoException) => post({ kind: 'log failed', code, message }));
}

// The terminal sends Ctrl-C to this process too. The parent shortens the time instead.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

async function invoke(): Promise<void> {
  isRunning = true;
  try {
    const { handler } = await import('../../lambda/handler.ts');
    const result = await handler({}, { getRemainingTimeInMillis: () => deadline - Date.now() });
    // An error of the log is reported in the next turn of the event loop.
    await nextTurn();
    post({ kind: 'returned', result });
  } catch (error) {
    post({ kind: 'failed', ...wordsOf(error), stack: inspect(error) });
  }
  isRunning = false;
}

/** Streams that failed alike share a line. */
function wordsOf(error: unknown): { readonly name: string; readonly message: string } {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof StreamsFailedError)) return { name, message };
  const alike = Map.groupBy(error.streams, ([, each]) => `${each.name}: ${each.message}`);
  const lines = [...alike].map(([text, streams]) => `\n  ${streams.map(([stream]) => stream).join(', ')}: ${text}`);
  return { name, message: lines.join('') };
}

function post(message: FromHandler): void {
  process.send?.(message);
}
