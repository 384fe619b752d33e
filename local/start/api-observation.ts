import { subscribe } from 'node:diagnostics_channel';

/** One request of this thread's `fetch`, which only the API and the token endpoint are asked by. */
export interface ApiObservation {
  /** URL without its query, where cursors stand. */
  readonly url: string;
  /** HTTP status of the answer; absent when there was none. */
  readonly status?: number;
  /** Why there was no answer, in the words of the network. */
  readonly trouble?: string;
}

interface FetchMessage {
  readonly request: { readonly origin: string | URL; readonly path: string };
  readonly response?: { readonly statusCode: number };
  readonly error?: unknown;
}

/** Watches through Node's own diagnostics, so that the code under observation is exactly the deployed one. */
export function observeApi(tell: (observation: ApiObservation) => void): void {
  subscribe('undici:request:headers', message => {
    const { request, response } = message as FetchMessage;
    tell({ url: urlOf(request), status: response!.statusCode });
  });
  subscribe('undici:request:error', message => {
    const { request, error } = message as FetchMessage;
    tell({ url: urlOf(request), trouble: wordsOf(error) });
  });
}

function urlOf({ origin, path }: FetchMessage['request']): string {
  return `${String(origin).replace(/\/$/, '')}${path.split('?')[0]}`;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  // A host with several addresses fails with one error for each, and no words of its own.
  const [first] = error instanceof AggregateError ? error.errors : [];
  return error.message || (first instanceof Error ? first.message : error.name);
}
