/**
 * Calls the Security Data External API. It authorizes each call, retries it within the time budget
 * and classifies its errors.
 */
import { isUtf8 } from 'node:buffer';
import {
  AccountRevokedError,
  ApiRefusedError,
  ContractError,
  CredentialsError,
  CursorRefusedError,
  PageTimeoutError,
  PageTooLargeError,
  RoleMissingError,
} from '../core/errors.ts';
import { type RetryBudget, retry, TryAgain } from '../core/retry.ts';
import type { PageSource } from '../ports.ts';
import {
  answerTo,
  busyError,
  type Fetch,
  type HttpRequest,
  NoAnswerError,
  TIMED_OUT,
  TOO_LARGE,
  textMember,
  unavailableError,
  yieldToRequests,
} from './http.ts';
import type { RequestPace } from './request-pace.ts';
import type { TokenSource } from './token.ts';

export interface ApiOptions {
  readonly baseUrl: string;
  readonly tokens: TokenSource;
  readonly fetch: Fetch;
  readonly retryBudget: RetryBudget;
  /** @default - requests leave at once */
  readonly pace?: RequestPace | undefined;
  /** Largest body that is read, in bytes. The body of a page with one row may be twice as large. */
  readonly maxBodyBytes?: number;
  /**
   * Milliseconds that one request may take, including its body, but never more than the time left.
   */
  readonly timeout?: number;
}

export interface Api extends PageSource {
  /**
   * Reads one row and returns the body.
   *
   * @throws the errors of `page`; ContractError when the body is not UTF-8; RangeError when no path
   * can hold the id
   */
  single(read: SingleRead): Promise<string>;
}

export interface SingleRead {
  /** Path of the list that contains the row, below the base URL. */
  readonly path: string;
  readonly id: string;
  /** Path that follows the id, such as `/related`. */
  readonly below?: string;
  readonly signal?: AbortSignal;
}

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024;
const DEFAULT_TIMEOUT_MILLISECONDS = 30_000;
/** Number of time-outs of one request before the walk asks for fewer rows. */
const MAX_TIMEOUTS = 2;
/** Number of answers 401 to one request after which a new token is requested. */
const MAX_NEW_TOKENS = 1;

export function createApi(options: ApiOptions): Api {
  const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
  // A page of one row cannot be made smaller, so its body may be larger.
  const boundOf = (rows: number) => (rows === 1 ? 2 * maxBodyBytes : maxBodyBytes);
  return {
    async single({ path, id, below = '', signal }) {
      const name = `${path}/{id}${below}`;
      const body = await read(
        { name, target: `${path}/${pathSegment(id)}${below}`, bound: boundOf(1), signal },
        options,
      );
      if (!isUtf8(body)) throw new ContractError(name, 'not UTF-8');
      return body.toString();
    },
    page({ path, cursor, limit, signal }) {
      const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
      return read({ name: path, target: `${path}?${query}`, bound: boundOf(limit), signal }, options);
    },
    yieldToRequests,
  };
}

interface Read extends Pick<HttpRequest, 'name' | 'bound' | 'signal'> {
  /** Path and query, below the base URL. */
  readonly target: string;
}

/** Sends one request and repeats it if necessary. */
async function read({ name, target, bound, signal }: Read, options: ApiOptions): Promise<Buffer> {
  const { baseUrl, fetch, tokens, retryBudget: budget, pace, timeout = DEFAULT_TIMEOUT_MILLISECONDS } = options;
  const url = `${baseUrl.replace(/\/+$/, '')}${target}`;
  let timeouts = 0;
  let newTokens = 0;

  const attempt = async () => {
    const token = await tokens.token(budget);
    // This wait comes last, because any other wait after it would shorten the distance to the next
    // request.
    await pace?.wait({ name, stop: signal, budget });

    const headers = { accept: 'application/json', authorization: `Bearer ${token.value}` };
    const request = { fetch, url, init: { headers }, signal, name, bound, timeout, budget };
    const answer = await answerTo(request).catch((error: unknown) => {
      const reason = error instanceof NoAnswerError ? error.reason : undefined;
      if (reason === TOO_LARGE) throw new PageTooLargeError(name, bound);
      if (reason === TIMED_OUT && ++timeouts === MAX_TIMEOUTS) throw new PageTimeoutError(name, timeout);
      throw unavailableError(name, error);
    });
    if (answer.status === 200) return answer.body;

    const type = problemType(answer.body);
    const mayBeExpired = answer.status === 401 && type !== 'auth/revoked-account';
    if (!mayBeExpired || newTokens++ === MAX_NEW_TOKENS)
      throw busyError(answer, request, 'the API') ?? refusal(name, answer.status, type);
    tokens.discard(token);
    throw new TryAgain('at once', refusal(name, 401, type));
  };
  return await retry(attempt, { budget, stop: signal });
}

function refusal(name: string, status: number, type: ProblemType | undefined): Error {
  if (status === 401 && type === 'auth/revoked-account') return new AccountRevokedError();
  if (status === 401)
    return new CredentialsError(`The API refuses a new token too (401 ${type ?? 'without a known problem type'}).`);
  if (status === 403 && type === 'auth/insufficient-role') return new RoleMissingError(name);
  if (status === 400 && type === 'request/invalid-cursor') return new CursorRefusedError(name);
  return new ApiRefusedError(name, status, type);
}

/** Suffixes of `type` that the specification names. */
const KNOWN_TYPES = [
  'request/invalid-cursor',
  'auth/missing-token',
  'auth/invalid-token',
  'auth/expired-token',
  'auth/revoked-account',
  'auth/insufficient-role',
] as const;

type ProblemType = (typeof KNOWN_TYPES)[number];

/**
 * Form of a problem type. A longer value, or a value with a control character, is not a problem
 * type.
 */
const TYPE = /^\P{Cc}{1,2048}$/u;

/**
 * Reads the type of a problem document, and nothing else, because an API or a proxy before it may
 * echo the request, and with it the token, in any other text.
 *
 * @returns the suffix of `type`, if the specification names it
 */
function problemType(body: Buffer): ProblemType | undefined {
  const type = textMember(body, 'type') ?? '';
  return TYPE.test(type) ? KNOWN_TYPES.find(known => type.endsWith(known)) : undefined;
}

/**
 * Encodes an id as one segment of a path. A URL drops the segments `.` and `..`, however they are
 * encoded, so such a request would reach another resource.
 *
 * @throws RangeError when no path can hold the id
 */
function pathSegment(id: string): string {
  if (id === '' || id === '.' || id === '..' || !id.isWellFormed()) throw new RangeError('No path can hold this id');
  return encodeURIComponent(id);
}
