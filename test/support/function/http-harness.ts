import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Fetch } from '../../../lambda/source/http.ts';
import { closeServer, listenOnLoopback } from '../../../local/api-simulator/server.ts';

export interface SeenRequest {
  readonly method: string;
  /** The target of the request line, percent-encoded, with the query. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HttpHarness extends AsyncDisposable {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Resolves once that many requests have arrived. */
  arrived(count: number): Promise<void>;
}

/**
 * Answers one request. An act that does nothing leaves the caller waiting.
 *
 * @param bytes of the body, which may not be text
 */
export type Act = (response: ServerResponse, request: SeenRequest, bytes?: Buffer<ArrayBuffer>) => unknown;

/**
 * A server on a free port of 127.0.0.1 that plays its acts in turn and then repeats the last one.
 */
export async function httpHarness(...acts: readonly Act[]): Promise<HttpHarness> {
  const seen: SeenRequest[] = [];
  const arrivals = createCounter();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = '', url: target = '', headers } = request;
    const bytes = Buffer.concat(parts);
    const arrival = { method, target, headers, body: bytes.toString() };
    seen.push(arrival);
    arrivals.add();
    acts[Math.min(seen.length, acts.length) - 1]?.(response, arrival, bytes);
  });
  const url = await listenOnLoopback(server, 0);
  return { url, seen, arrived: arrivals.reached, [Symbol.asyncDispose]: () => closeServer(server) };
}

/** A count that can be awaited. */
function createCounter(): { add(): void; reached(count: number): Promise<void> } {
  let reached = 0;
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  return {
    add() {
      reached++;
      for (const { count, resolve } of waiting) if (count <= reached) resolve();
    },
    reached: count => new Promise(resolve => (reached >= count ? resolve() : void waiting.push({ count, resolve }))),
  };
}

export const reset: Act = response => response.socket?.resetAndDestroy();

/**
 * A fetch that fails as Node's own does when there is no connection. `begun` counts its requests.
 */
export function failingFetch(message: string, code?: string): { readonly fetch: Fetch; readonly begun: () => number } {
  let begun = 0;
  const fetch: Fetch = async () => {
    begun++;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(message), code && { code }) });
  };
  return { fetch, begun: () => begun };
}

/** Errors that another try cannot repair: codes of Node's TLS, and the ports that fetch refuses. */
export const FINAL_ERRORS = [
  'CERT_HAS_EXPIRED',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'bad port',
];

export const silence: Act = () => undefined;

/** Declares the length of the body, sends half of it and closes the connection. */
export function truncated(body: string): Act {
  return response => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
  };
}

/**
 * The real fetch, and a way to wait until so many answers have begun, even when their bodies have
 * not ended.
 */
export function watchedFetch(): { readonly fetch: Fetch; begun(count: number): Promise<void> } {
  const answers = createCounter();
  return {
    async fetch(url, init) {
      const response = await fetch(url, init);
      answers.add();
      return response;
    },
    begun: answers.reached,
  };
}
