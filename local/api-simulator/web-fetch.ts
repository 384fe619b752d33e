import type { Answer, Call } from './problem.ts';

/** An answer, and the fault that strikes its delivery. */
export interface Outcome {
  readonly answer: Answer;
  /** The connection breaks before anything is sent. */
  readonly reset?: boolean | undefined;
  /** The connection breaks in the middle of the body. */
  readonly truncate?: boolean | undefined;
}

/** The API simulator as a web-standard fetch. A broken connection rejects as Node's fetch does: a TypeError whose cause has a code. */
export function webFetch(serve: (call: Call) => Promise<Outcome>): (request: Request) => Promise<Response> {
  return async request => {
    const { pathname, search } = new URL(request.url);
    const body = request.body ? await request.text() : '';
    const header = (name: string): string | undefined => request.headers.get(name) ?? undefined;
    const served = serve({ method: request.method, target: pathname + search, header, body });
    const { answer, reset, truncate } = await Promise.race([served, aborted(request.signal)]);
    if (reset) throw new TypeError('fetch failed', { cause: broken('read ECONNRESET', 'ECONNRESET') });
    const init = { status: answer.status, headers: answer.headers };
    if (truncate) return new Response(cutShort(answer.body), init);
    return new Response(NO_BODY.has(answer.status) ? null : answer.body, init);
  };
}

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function cutShort(body: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent)
        return controller.error(new TypeError('terminated', { cause: broken('other side closed', 'UND_ERR_SOCKET') }));
      sent = true;
      controller.enqueue(bytes.subarray(0, bytes.length >> 1));
    },
  });
}

/** Rejects when the caller aborts, as fetch does. A pending answer is lost. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function broken(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
