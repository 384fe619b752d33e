/** The thread of the deployed handler. Like a container of Lambda, it has its own environment and stdout. */
import { subscribe } from 'node:diagnostics_channel';
import { parentPort } from 'node:worker_threads';
import { type FilterTotals, tallyFilters } from './filter-tally.ts';
import { type ThrownError, thrownError } from './handler-host.ts';

export type ToThread =
  | { readonly kind: 'invoke'; readonly milliseconds: number }
  /** Shortens what is left of the invocation. */
  | { readonly kind: 'hurry'; readonly milliseconds: number };

export type FromThread =
  | { readonly kind: 'observed'; readonly observation: ApiObservation }
  /** Since the thread began. */
  | { readonly kind: 'filtered'; readonly totals: FilterTotals }
  | { readonly kind: 'returned'; readonly result: unknown }
  | { readonly kind: 'threw'; readonly error: ThrownError };

const port = parentPort!;
const post = (message: FromThread) => port.postMessage(message);
let deadline = 0;

const totals = tallyFilters();
observeApi(observation => post({ kind: 'observed', observation }));

port.on('message', (message: ToThread) => {
  const end = Date.now() + message.milliseconds;
  deadline = message.kind === 'hurry' ? Math.min(deadline, end) : end;
  if (message.kind === 'invoke') void invoke();
});

async function invoke(): Promise<void> {
  try {
    const { handler } = await import('../../lambda/handler.ts');
    const result = await handler({}, { getRemainingTimeInMillis: () => deadline - Date.now() });
    await flushed();
    post({ kind: 'filtered', totals });
    post({ kind: 'returned', result });
  } catch (error) {
    await flushed();
    post({ kind: 'filtered', totals });
    post({ kind: 'threw', error: thrownError(error) });
  }
}

/** A thread's output travels in messages. Messages that are pending when the thread ends are lost. */
async function flushed(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>(resolve => stream.write('', () => resolve()));
  }
}

/** A request of this thread's `fetch`, which is only used for the API and the token endpoint. */
export interface ApiObservation {
  /** URL without its query, which holds cursors. */
  readonly url: string;
  /** HTTP status of the answer; absent when there was none. */
  readonly status?: number;
  /** The network error, when there was no answer. */
  readonly trouble?: string;
}

interface FetchMessage {
  readonly request: { readonly origin: string | URL; readonly path: string };
  readonly response?: { readonly statusCode: number };
  readonly error?: unknown;
}

/** Observes through Node's diagnostics, so that the observed code is exactly the deployed code. */
export function observeApi(onObservation: (observation: ApiObservation) => void): void {
  subscribe('undici:request:headers', message => {
    const { request, response } = message as FetchMessage;
    onObservation({ url: urlOf(request), status: response!.statusCode });
  });
  subscribe('undici:request:error', message => {
    const { request, error } = message as FetchMessage;
    onObservation({ url: urlOf(request), trouble: wordsOf(error) });
  });
}

function urlOf({ origin, path }: FetchMessage['request']): string {
  return `${String(origin).replace(/\/$/, '')}${path.split('?')[0]}`;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  // A host with several addresses fails with one error for each, and no message of its own.
  const [first] = error instanceof AggregateError ? error.errors : [];
  return error.message || (first instanceof Error ? first.message : error.name);
}
