/** Reads bodies of HTTP answers up to a bound, and names the reason when there is none. */
import { setImmediate as turn } from 'node:timers/promises';
import type { ConnectionError } from '../core/connection-error.ts';
import { ApiUnavailableError, CertificateError, OutOfTimeError, ProxyError } from '../core/errors.ts';
import type { RetryBudget } from '../core/retry.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What the loop of tries rejects with after such answers. A rate limit is no failure: the stream continues when its time has come. */
export function answered(status: number, name: string, service: string): Error {
  if (status === 429) return new OutOfTimeError(`before ${service} asks to be called again (429)`);
  return new ApiUnavailableError(name, `it answered ${status}`);
}

export const NO_CODE: ConnectionError = { what: 'the connection failed (no code)', isFinal: false };

export const TIMED_OUT: ConnectionError = { what: 'it did not answer in time', isFinal: false };

const ERRORS = { proxy: ProxyError, certificate: CertificateError };

/** What a connection without a whole answer means. The error of the loop of tries has the class of its cause. */
export function unconnected(name: string, failed: ConnectionError, cause: Error): ApiUnavailableError {
  const { of, what, advice } = failed;
  const type = of ? ERRORS[of] : ApiUnavailableError;
  return new type(name, what, { cause, advice });
}

/**
 * Lets a request that was just made leave. `fetch` takes up a kept connection again only one whole turn of the event loop after its last
 * answer: rows that are worked on before it would hold up the request, by some 2.5 ms a page.
 */
export async function yieldToRequests(): Promise<void> {
  await turn();
  await turn();
}

/** The body exceeds the bound; it was not read to its end. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * A body that is bounded before anybody reads it: for a library that reads answers by itself. What cannot be read of an
 * error is left out, for its status says enough.
 *
 * @throws as `readBody` does, when the status is 200
 */
export async function bounded(response: Response, bound: number): Promise<Response> {
  const { status, headers } = response;
  const reading = readBody(response, bound);
  const body = await (status === 200 ? reading : reading.catch(() => Buffer.alloc(0)));
  const kept = new Headers();
  for (const name of KEPT_HEADERS) if (headers.has(name)) kept.set(name, headers.get(name)!);
  return new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers: kept });
}

const KEPT_HEADERS = ['content-type', 'retry-after', 'ratelimit-reset', 'www-authenticate'];

/** Room for a body that does not declare its length, in bytes; it grows. */
const FIRST_ROOM = 65_536;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * @param bound in bytes
 * @returns the bytes, without a byte order mark
 * @throws BodyTooLargeError; TypeError when the connection broke
 */
export async function readBody(response: Response, bound: number): Promise<Buffer> {
  const declared = Number(response.headers.get('content-length') ?? 0);
  if (declared > bound) {
    await response.body?.cancel();
    throw new BodyTooLargeError(`${declared} bytes`);
  }
  let bytes = Buffer.allocUnsafeSlow(declared || FIRST_ROOM);
  let size = 0;
  for await (const part of response.body ?? []) {
    const end = size + part.byteLength;
    if (end > bound) throw new BodyTooLargeError(`more than ${bound} bytes`);
    if (end > bytes.length) bytes = larger(bytes, size, end);
    bytes.set(part, size);
    size = end;
  }
  // A body that ends early without an error is incomplete, too.
  const encoded = response.headers.has('content-encoding');
  if (!encoded && size < declared) throw new TypeError('The connection ended before the declared length');
  const body = bytes.subarray(0, size);
  return BYTE_ORDER_MARK.every((byte, at) => body[at] === byte) ? body.subarray(BYTE_ORDER_MARK.length) : body;
}

function larger(bytes: Buffer, size: number, needed: number): Buffer<ArrayBuffer> {
  const room = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(room, 0, 0, size);
  return room;
}

/** An abort signal with a time limit that can be lifted. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
  /** The time budget ends before the milliseconds asked for have passed. */
  readonly shortened: boolean;
}

/** Aborts after `milliseconds` by the given clock, or when the time budget ends, unless disposed before. */
export function timeLimit(milliseconds: number, { clock, timeLeft }: RetryBudget): TimeLimit {
  const granted = Math.max(0, Math.min(milliseconds, timeLeft()));
  const expired = new AbortController();
  const over = new AbortController();
  clock.sleep(granted, over.signal, 'limit').then(
    () => expired.abort(new DOMException(`No answer within ${granted} ms`, 'TimeoutError')),
    // Disposed: the request has ended within its time.
    () => undefined,
  );
  return { signal: expired.signal, shortened: granted < milliseconds, [Symbol.dispose]: () => over.abort() };
}
