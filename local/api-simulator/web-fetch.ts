import type { HttpAnswer, HttpCall } from './problem.ts';

/** An answer, with the fault that strikes its delivery. */
export interface CallOutcome {
  readonly answer: HttpAnswer;
  /** Whether the connection breaks before anything is sent. */
  readonly reset?: boolean | undefined;
  /** Whether the connection breaks in the middle of the body. */
  readonly truncate?: boolean | undefined;
}

/**
 * Returns a web-standard fetch that the API simulator answers. A broken connection rejects as
 * Node's fetch does, with a TypeError whose cause has a code.
 */
export function createWebFetch(
  serve: (call: HttpCall) => Promise<CallOutcome>,
): (request: Request) => Promise<Response> {
  return async request => {
    const { pathname, search } = new URL(request.url);
    const body = request.body ? await request.text() : '';
    const header = (name: string): string | undefined => request.headers.get(name) ?? undefined;
    const { answer, reset, truncate } = await serve({
      method: request.method,
      target: pathname + search,
      header,
      body,
    });
    if (reset) throw broken('fetch failed', 'ECONNRESET');
    return new Response(truncate ? cutShort(answer.body) : answer.body, answer);
  };
}

function cutShort(body: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  return new ReadableStream({
    start: controller => controller.enqueue(bytes.subarray(0, bytes.length >> 1)),
    pull: controller => controller.error(broken('terminated', 'UND_ERR_SOCKET')),
  });
}

function broken(message: string, code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(message), { code }) });
}
