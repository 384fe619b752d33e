/** The Security Data External API: each call authorised, tried again within the time budget, its errors told apart. */
import {
  AccountRevokedError,
  ApiRefusedError,
  ApiUnavailableError,
  CredentialsError,
  CursorRefusedError,
  OutOfTimeError,
  PageTimeoutError,
  PageTooLargeError,
  RoleMissingError,
} from '../core/errors.ts';
import { publicError } from '../core/public-error.ts';
import { isRetryable, nextDelay, type RetryBudget, retryAfter } from '../core/retry.ts';
import type { PageSource, RowReader } from '../ports.ts';
import { BodyTooLargeError, type Fetch, networkCode, readBody, type TimeLimit, timeLimit } from './http.ts';
import type { Tokens } from './token.ts';

export interface ApiOptions {
  readonly baseUrl: string;
  readonly tokens: Tokens;
  readonly fetch: Fetch;
  readonly retryBudget: RetryBudget;
  /** Largest body that is read, in bytes. */
  readonly maxBodyBytes?: number;
  /** Milliseconds that one request may take, body included; never more than the time left. */
  readonly timeout?: number;
}

export interface Api extends PageSource {
  /** The body of a single read. @throws as `page` does; RangeError when no path can hold the id */
  single(read: SingleRead): Promise<string>;
}

export interface SingleRead {
  /** Of the list that the row belongs to, below the base URL. */
  readonly path: string;
  readonly id: string;
  /** What stands below the id, such as `/related`. */
  readonly below?: string;
  readonly signal?: AbortSignal;
}

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024;
const DEFAULT_TIMEOUT_MILLISECONDS = 30_000;
/** Time-outs in a row before the walk is told to ask for fewer rows. */
const MAX_TIMEOUTS = 2;
/** 401s in a row for which a new token is worth a try. */
const MAX_NEW_TOKENS = 1;

export function createApi(options: ApiOptions): Api {
  return {
    async single({ path, id, below = '', signal }) {
      const target = { name: `${path}/{id}${below}`, text: `${path}/${pathSegment(id)}${below}` };
      return (await new Call(target, signal, options).run()).toString();
    },
    page({ path, cursor, limit, signal }) {
      const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
      return new Call({ name: path, text: `${path}?${query}` }, signal, options).run();
    },
  };
}

interface Target {
  /** What errors call it: nothing of a row or a cursor is in it. */
  readonly name: string;
  /** Below the base URL. */
  readonly text: string;
}

/** One request with its repeats. */
class Call {
  readonly #target: Target;
  readonly #signal: AbortSignal | undefined;
  readonly #options: ApiOptions;
  /** Failures for which the server named no time; waits that it asked for are no failures. */
  #failures = 0;
  #waits = 0;
  #timeouts = 0;
  #newTokens = 0;

  constructor(target: Target, signal: AbortSignal | undefined, options: ApiOptions) {
    this.#target = target;
    this.#signal = signal;
    this.#options = options;
  }

  async run(): Promise<Buffer> {
    for (;;) {
      this.#signal?.throwIfAborted();
      const token = await this.#options.tokens.token(this.#options.retryBudget);
      using timer = timeLimit(this.#timeout, this.#options.retryBudget);
      let response: Response;
      try {
        response = await this.#send(token, timer.signal);
        if (response.status === 200) return await readBody(response, this.#maxBodyBytes);
      } catch (error) {
        await this.#failed(error, timer);
        continue;
      }
      await this.#answered(response, token);
    }
  }

  get #maxBodyBytes(): number {
    return this.#options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
  }

  get #timeout(): number {
    return this.#options.timeout ?? DEFAULT_TIMEOUT_MILLISECONDS;
  }

  #send(token: string, timer: AbortSignal): Promise<Response> {
    const { baseUrl, fetch } = this.#options;
    return fetch(`${baseUrl.replace(/\/+$/, '')}${this.#target.text}`, {
      headers: { accept: 'application/json', authorization: `Bearer ${token}` },
      // Followed, a redirect would carry the bearer to another host.
      redirect: 'manual',
      signal: this.#signal ? AbortSignal.any([this.#signal, timer]) : timer,
    });
  }

  /** Returns when the request is worth repeating, or throws. */
  async #answered(response: Response, token: string): Promise<void> {
    const type = await readProblem(response);
    const { status } = response;
    if (status === 401) return this.#unauthorised(type, token);
    if (status === 403 && type === 'auth/insufficient-role') throw new RoleMissingError(this.#target.name);
    if (status === 400 && type === 'request/invalid-cursor') throw new CursorRefusedError(this.#target.name);
    if (!isRetryable(status)) throw new ApiRefusedError(this.#target.name, status, type);
    const asked = retryAfter(response.headers.get('retry-after'), this.#options.retryBudget.clock.now());
    await this.#pause(asked, () =>
      // A rate limit is no failure: the stream goes on when its time has come.
      status === 429 && asked !== undefined
        ? new OutOfTimeError('before the API asks to be called again (429)')
        : new ApiUnavailableError(this.#target.name, `it answered ${status}`),
    );
  }

  #unauthorised(type: ProblemType | undefined, token: string): void {
    if (type === 'auth/revoked-account') throw new AccountRevokedError();
    if (this.#newTokens === MAX_NEW_TOKENS) {
      throw new CredentialsError(`The API refuses a new token too (401 ${type ?? 'without a known problem type'}).`);
    }
    this.#newTokens++;
    this.#options.tokens.discard(token);
  }

  async #failed(error: unknown, timer: TimeLimit): Promise<void> {
    this.#signal?.throwIfAborted();
    if (error instanceof BodyTooLargeError) throw new PageTooLargeError(this.#target.name, this.#maxBodyBytes);
    const timedOut = timer.signal.aborted;
    // Cut off by the end of the run, not by its own slowness: fewer rows would not help.
    if (timedOut && timer.shortened) throw new OutOfTimeError(`before ${this.#target.name} had answered`);
    if (timedOut && ++this.#timeouts === MAX_TIMEOUTS) {
      throw new PageTimeoutError(this.#target.name, this.#timeout);
    }
    const code = networkCode(error);
    const what = timedOut ? 'it did not answer in time' : `the connection failed (${code ?? 'no code'})`;
    // It may quote what was sent, or hold what was answered.
    const cause = publicError(error);
    await this.#pause(undefined, () => new ApiUnavailableError(this.#target.name, what, { cause }));
  }

  async #pause(asked: number | undefined, giveUp: () => Error): Promise<void> {
    const { clock, random, timeLeft } = this.#options.retryBudget;
    if (asked === undefined) this.#failures++;
    else this.#waits++;
    const [attempt, waits] = [this.#failures, this.#waits];
    const delay = nextDelay({ attempt, waits, retryAfter: asked, timeLeft: timeLeft() }, random);
    if (delay === undefined) throw giveUp();
    await clock.sleep(delay, this.#signal);
  }
}

/** The problem documents of the API's errors (specification, Errors). */

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

/**
 * Nothing else of the document is kept: an API, or a proxy before it, may echo the request, and with it the token, in any
 * other text. Never throws: an error whose body cannot be read is still known by its status.
 *
 * @returns the suffix of `type`, when it is one that the specification names
 */
export async function readProblem(response: Response): Promise<ProblemType | undefined> {
  const body = await readBody(response, MAX_BYTES).catch(() => Buffer.alloc(0));
  const type = typeOf(body.toString());
  return KNOWN_TYPES.find(known => type === known || type.endsWith(`/${known}`) || type.endsWith(`:${known}`));
}

function typeOf(text: string): string {
  try {
    const document: unknown = JSON.parse(text);
    const type = typeof document === 'object' && document !== null && 'type' in document ? document.type : undefined;
    return typeof type === 'string' ? type : '';
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

export function createRowReader(api: Api): RowReader {
  return { row: (path, id, signal) => api.single({ path, id, signal }) };
}
