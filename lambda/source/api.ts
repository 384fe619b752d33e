/** The Security Data External API. Authorizes each call, retries it within the time budget and classifies its errors. */
import { isUtf8 } from 'node:buffer';
import { connectionError } from '../core/connection-error.ts';
import {
  AccountRevokedError,
  ApiRefusedError,
  ContractError,
  CredentialsError,
  CursorRefusedError,
  OutOfTimeError,
  PageTimeoutError,
  PageTooLargeError,
  RoleMissingError,
} from '../core/errors.ts';
import { publicError } from '../core/public-error.ts';
import { failureOfAnswer, type RetryBudget, retry, TryAgain } from '../core/retry.ts';
import type { PageSource } from '../ports.ts';
import {
  answered,
  BodyTooLargeError,
  type Fetch,
  NO_CODE,
  readBody,
  TIMED_OUT,
  type TimeLimit,
  timeLimit,
  unconnected,
  yieldToRequests,
} from './http.ts';
import type { RequestPace } from './request-pace.ts';
import type { Token, Tokens } from './token.ts';

export interface ApiOptions {
  readonly baseUrl: string;
  readonly tokens: Tokens;
  readonly fetch: Fetch;
  readonly retryBudget: RetryBudget;
  /** @default - requests leave at once */
  readonly pace?: RequestPace | undefined;
  /** Largest body that is read, in bytes. That of a single row may be twice as large. */
  readonly maxBodyBytes?: number;
  /** Milliseconds that one request may take, body included; never more than the time left. */
  readonly timeout?: number;
}

export interface Api extends PageSource {
  /** The body of a single read. @throws as `page` does; ContractError when it is not UTF-8; RangeError when no path can hold the id */
  single(read: SingleRead): Promise<string>;
}

export interface SingleRead {
  /** Of the list that the row belongs to, below the base URL. */
  readonly path: string;
  readonly id: string;
  /** What follows the id, such as `/related`. */
  readonly below?: string;
  readonly signal?: AbortSignal;
}

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024;
const DEFAULT_TIMEOUT_MILLISECONDS = 30_000;
/** Time-outs in a row before the walk is asked for fewer rows. */
const MAX_TIMEOUTS = 2;
/** Consecutive 401s after which a new token is requested. */
const MAX_NEW_TOKENS = 1;

export function createApi(options: ApiOptions): Api {
  return {
    async single({ path, id, below = '', signal }) {
      const target = { name: `${path}/{id}${below}`, text: `${path}/${pathSegment(id)}${below}` };
      const body = await new Call(target, signal, 1, options).run();
      if (!isUtf8(body)) throw new ContractError(target.name, 'not UTF-8');
      return body.toString();
    },
    page({ path, cursor, limit, signal }) {
      const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
      return new Call({ name: path, text: `${path}?${query}` }, signal, limit, options).run();
    },
    yieldToRequests,
  };
}

interface Target {
  /** Name of the request in errors. Contains nothing of a row or a cursor. */
  readonly name: string;
  /** Below the base URL. */
  readonly text: string;
}

/** One request with its repeats. */
class Call {
  readonly #target: Target;
  readonly #signal: AbortSignal | undefined;
  readonly #options: ApiOptions;
  readonly #maxBodyBytes: number;
  #timeouts = 0;
  #newTokens = 0;

  constructor(target: Target, signal: AbortSignal | undefined, rows: number, options: ApiOptions) {
    const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
    this.#maxBodyBytes = rows === 1 ? 2 * maxBodyBytes : maxBodyBytes;
    this.#target = target;
    this.#signal = signal;
    this.#options = options;
  }

  run(): Promise<Buffer> {
    return retry(() => this.#attempt(), {
      budget: this.#options.retryBudget,
      before: async () => this.#signal?.throwIfAborted(),
      stop: this.#signal,
    });
  }

  async #attempt(): Promise<Buffer> {
    const { tokens, retryBudget, pace } = this.#options;
    const token = await tokens.token(retryBudget);
    // Last of all waits: what comes between it and the request would shorten the distance to the next one.
    await pace?.wait({ name: this.#target.name, stop: this.#signal, budget: retryBudget });
    using timer = timeLimit(this.#timeout, retryBudget);
    let response: Response;
    try {
      response = await this.#send(token.value, timer.signal);
      if (response.status === 200) return await readBody(response, this.#maxBodyBytes);
    } catch (error) {
      throw this.#failed(error, timer);
    }
    throw await this.#answered(response, token);
  }

  get #timeout(): number {
    return this.#options.timeout ?? DEFAULT_TIMEOUT_MILLISECONDS;
  }

  #send(token: string, timer: AbortSignal): Promise<Response> {
    const { baseUrl, fetch } = this.#options;
    return fetch(`${baseUrl.replace(/\/+$/, '')}${this.#target.text}`, {
      headers: { accept: 'application/json', authorization: `Bearer ${token}` },
      // Following a redirect would send the bearer token to another host.
      redirect: 'manual',
      signal: this.#signal ? AbortSignal.any([this.#signal, timer]) : timer,
    });
  }

  /** Classifies an answer other than 200. */
  async #answered(response: Response, token: Token): Promise<Error> {
    const type = await readProblem(response);
    const { name } = this.#target;
    const { status, headers } = response;
    if (status === 401) return this.#unauthorised(type, token);
    if (status === 403 && type === 'auth/insufficient-role') return new RoleMissingError(name);
    if (status === 400 && type === 'request/invalid-cursor') return new CursorRefusedError(name);
    const failure = failureOfAnswer(status, headers, this.#options.retryBudget.clock.now());
    if (failure === 'final') return new ApiRefusedError(name, status, type);
    return new TryAgain(failure, answered(status, name, 'the API'));
  }

  #unauthorised(type: ProblemType | undefined, token: Token): Error {
    if (type === 'auth/revoked-account') return new AccountRevokedError();
    const refused = new CredentialsError(
      `The API refuses a new token too (401 ${type ?? 'without a known problem type'}).`,
    );
    if (this.#newTokens === MAX_NEW_TOKENS) return refused;
    this.#newTokens++;
    this.#options.tokens.discard(token);
    return new TryAgain('at once', refused);
  }

  /** Classifies a request that got no complete answer. */
  #failed(error: unknown, timer: TimeLimit): Error {
    this.#signal?.throwIfAborted();
    const { name } = this.#target;
    if (error instanceof BodyTooLargeError) return new PageTooLargeError(name, this.#maxBodyBytes);
    const timedOut = timer.signal.aborted;
    // Cut off by the end of the run, not by its own slowness: fewer rows would not help.
    if (timedOut && timer.shortened) return new OutOfTimeError(`before ${name} had answered`);
    if (timedOut && ++this.#timeouts === MAX_TIMEOUTS) return new PageTimeoutError(name, this.#timeout);
    const failed = timedOut ? TIMED_OUT : (connectionError(error) ?? NO_CODE);
    // It may quote what was sent, or hold what was answered.
    const unavailable = unconnected(name, failed, publicError(error));
    return failed.isFinal ? unavailable : new TryAgain('transient', unavailable);
  }
}

/** The suffixes of `type` that the specification names. */
const KNOWN_TYPES = [
  'request/invalid-cursor',
  'auth/missing-token',
  'auth/invalid-token',
  'auth/expired-token',
  'auth/revoked-account',
  'auth/insufficient-role',
] as const;

export type ProblemType = (typeof KNOWN_TYPES)[number];

const MAX_BYTES = 65_536;
/** A longer value, or one with a control character, is not a type. */
const TYPE = /^\P{Cc}{1,2048}$/u;

/**
 * Nothing else of the document is kept: an API, or a proxy before it, may echo the request, and with it the token, in any
 * other text. Never throws: an error whose body cannot be read is still known by its status.
 *
 * @returns the suffix of `type`, when it is one that the specification names
 */
export async function readProblem(response: Response): Promise<ProblemType | undefined> {
  const body = await readBody(response, MAX_BYTES).catch(() => Buffer.alloc(0));
  const type = typeOf(body.toString());
  return KNOWN_TYPES.find(known => type.endsWith(known));
}

function typeOf(text: string): string {
  try {
    const document: unknown = JSON.parse(text);
    const type = typeof document === 'object' && document !== null && 'type' in document ? document.type : undefined;
    return typeof type === 'string' && TYPE.test(type) ? type : '';
  } catch {
    return '';
  }
}
/**
 * An id as one segment of a path. A URL drops the segments `.` and `..`, however they are encoded: such a request would reach
 * another resource.
 *
 * @throws RangeError when no path can hold the id
 */
export function pathSegment(id: string): string {
  if (id === '' || id === '.' || id === '..' || !id.isWellFormed()) throw new RangeError('No path can hold this id');
  return encodeURIComponent(id);
}
