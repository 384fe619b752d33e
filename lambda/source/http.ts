/**
 * Makes one HTTP request, with limits on its time and on the size of its answer, and finds the
 * reason when there is no answer.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { type ConnectionError, connectionError } from '../core/connection-error.ts';
import { ApiUnavailableError, CertificateError, OutOfTimeError, ProxyError } from '../core/errors.ts';
import { publicError } from '../core/public-error.ts';
import { isRetryable, type RetryBudget, retryAfter, TryAgain } from '../core/retry.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface HttpRequest {
  readonly fetch: Fetch;
  readonly url: string;
  readonly init: RequestInit;
  /** Aborts the request with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Name of the request in error messages. It contains no part of a row, a cursor or a secret. */
  readonly name: string;
  /** Largest body that is read, in bytes. */
  readonly bound: number;
  /**
   * Milliseconds that the request may take, including its body, but never more than the time left.
   */
  readonly timeout: number;
  readonly budget: RetryBudget;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /**
   * Body of the answer. It is empty when the body of an error could not be read, because the status
   * says enough.
   */
  readonly body: Buffer<ArrayBuffer>;
}

/** Largest body of an error that is read, in bytes. */
const MAX_ERROR_BYTES = 65_536;

/** @throws NoAnswerError; OutOfTimeError when the end of the run cut the request off */
export async function answerTo(request: HttpRequest): Promise<HttpAnswer> {
  const { fetch, url, init, signal, name, bound, timeout, budget } = request;
  using timer = timeLimit(timeout, budget);
  try {
    const either = signal ? AbortSignal.any([signal, timer.signal]) : timer.signal;
    // A redirect is not followed, because the credentials would be sent to another host.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: either });
    const { status, headers } = response;
    const body = status === 200 ? readBody(response, bound) : readBody(response, MAX_ERROR_BYTES).catch(nothing);
    return { status, headers, body: await body };
  } catch (error) {
    signal?.throwIfAborted();
    if (!timer.signal.aborted) throw error instanceof NoAnswerError ? error : new NoAnswerError(undefined, error);
    // The request was cut off by the end of the run, not by its own slowness, so another request
    // would not help.
    if (timer.isShortened) throw new OutOfTimeError(`before ${name.replace(/^The /, 'the ')} had answered`);
    throw new NoAnswerError(TIMED_OUT, error);
  }
}

const nothing = () => Buffer.alloc(0);

export const TIMED_OUT = 'it did not answer in time';
export const TOO_LARGE = 'its answer is too large';

/** The server did not answer, or its answer was incomplete. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** Reason why the answer is incomplete. Absent when the connection failed. */
  readonly reason: string | undefined;
  constructor(reason: string | undefined, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

const ERRORS = { proxy: ProxyError, certificate: CertificateError };
const NO_CODE = { problem: 'the connection failed (no code)', isFinal: false };

/**
 * Returns the error for a missing answer. Another try may follow, unless the connection would fail
 * in the same way again.
 */
export function unavailableError(name: string, error: unknown): unknown {
  if (!(error instanceof NoAnswerError)) return error;
  const { reason, cause } = error;
  const failed = reason ? { problem: reason, isFinal: false } : (connectionError(cause) ?? NO_CODE);
  const { of, problem, advice, isFinal } = failed as ConnectionError;
  const type = of ? ERRORS[of] : ApiUnavailableError;
  // The cause may quote the request or contain the answer, so only its public part is kept.
  const known = new type(name, problem, { advice, ...(cause !== undefined && { cause: publicError(cause) }) });
  return isFinal ? known : new TryAgain('transient', known);
}

/**
 * Returns the error for an answer other than 200 of which only the status is known. A rate limit is
 * not a failure, because the stream continues when the limit allows it.
 *
 * @param service name of the service in the sentence about a rate limit
 * @returns undefined when another try would be refused as well
 */
export function busyError(
  { status, headers }: HttpAnswer,
  { name, budget }: Pick<HttpRequest, 'name' | 'budget'>,
  service: string,
): TryAgain | undefined {
  if (!isRetryable(status)) return undefined;
  const wait = retryAfter(headers, budget.clock.now());
  if (status !== 429) return new TryAgain('transient', new ApiUnavailableError(name, `it answered ${status}`), wait);
  // A rate limit is waited out for as long as the time budget lasts.
  const instead = new OutOfTimeError(`before ${service} asks to be called again (429)`);
  return new TryAgain('throttled', instead, wait);
}

/** Reads a text member of the document in the body of an error. */
export function textMember(body: Buffer, name: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())?.[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Lets a request that was just made leave. `fetch` takes up a kept connection only one whole turn
 * of the event loop after its last answer. Rows that are processed before that would hold up the
 * request, by some 2.5 ms per page.
 */
export async function yieldToRequests(): Promise<void> {
  await turn();
  await turn();
}

/**
 * Room for a body that does not declare its length, in bytes. The room grows if the body is larger.
 */
const FIRST_ROOM = 65_536;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * @param bound largest number of bytes that is accepted
 * @returns the bytes, without a byte order mark
 * @throws NoAnswerError; TypeError when the connection broke
 */
async function readBody(response: Response, bound: number): Promise<Buffer<ArrayBuffer>> {
  const declared = Number(response.headers.get('content-length') ?? 0);
  if (declared > bound) {
    await response.body?.cancel();
    throw new NoAnswerError(TOO_LARGE);
  }

  let bytes = Buffer.allocUnsafeSlow(declared || FIRST_ROOM);
  let size = 0;
  for await (const part of response.body ?? []) {
    const end = size + part.byteLength;
    if (end > bound) throw new NoAnswerError(TOO_LARGE);
    if (end > bytes.length) bytes = larger(bytes, size, end);
    bytes.set(part, size);
    size = end;
  }

  // A body that ends early without an error is incomplete, too.
  const isEncoded = response.headers.has('content-encoding');
  if (!isEncoded && size < declared) throw new TypeError('The connection ended before the declared length');
  const body = bytes.subarray(0, size);
  return BYTE_ORDER_MARK.every((byte, at) => body[at] === byte) ? body.subarray(BYTE_ORDER_MARK.length) : body;
}

function larger(bytes: Buffer, size: number, needed: number): Buffer<ArrayBuffer> {
  const room = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(room, 0, 0, size);
  return room;
}

/** Shared by all requests, because an abort without a reason creates an exception with a stack. */
const ENDED = new Error('The request has ended within its time limit');

/** An abort signal with a time limit that can be lifted. */
interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
  /** Whether the time budget ends before the requested milliseconds have passed. */
  readonly isShortened: boolean;
}

/**
 * Returns a signal that aborts after this number of milliseconds, or earlier if the time budget
 * ends. If the limit is disposed of first, the signal never aborts.
 */
function timeLimit(milliseconds: number, { clock, timeLeft }: RetryBudget): TimeLimit {
  const granted = Math.max(0, Math.min(milliseconds, timeLeft()));
  const expired = new AbortController();
  const over = new AbortController();
  clock.sleep(granted, over.signal, 'limit').then(
    () => expired.abort(new DOMException(`No answer within ${granted} ms`, 'TimeoutError')),
    // The limit was disposed of, because the request has ended within its time.
    () => undefined,
  );
  return { signal: expired.signal, isShortened: granted < milliseconds, [Symbol.dispose]: () => over.abort(ENDED) };
}
