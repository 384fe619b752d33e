/**
 * Access tokens by client credentials (RFC 6749 §4.4; specification, Authentication): one request in flight for all
 * streams, reused for its lifetime, renewed shortly before it ends. The secret is read afresh for each token, so that a wrong or a leaked one
 * is out of use within the lifetime of a token, five minutes.
 */
import * as oauth from 'oauth4webapi';
import { type ConnectionError, connectionError } from '../core/connection-error.ts';
import {
  ApiRefusedError,
  ApiUnavailableError,
  ClientChangedError,
  CredentialsError,
  OutOfTimeError,
} from '../core/errors.ts';
import { publicError } from '../core/public-error.ts';
import { failureOfAnswer, type RetryBudget, retry, TryAgain } from '../core/retry.ts';
import type { ClientCredentials, Credentials } from './credentials.ts';
import { answered, BodyTooLargeError, bounded, type Fetch, TIMED_OUT, timeLimit, unconnected } from './http.ts';

export interface Token {
  readonly value: string;
  /** The client that the token was issued to. It says whose rows an answer holds. */
  readonly clientId: string;
}

export interface Tokens {
  /** A token with some life left. @throws CredentialsError, ApiUnavailableError, OutOfTimeError */
  token(retryBudget: RetryBudget): Promise<Token>;
  /** Makes the next call ask for a new token, unless that has happened since `refused` was handed out. */
  discard(refused: Token): void;
}

export interface TokenOptions {
  /** The realm, or the whole token path. */
  readonly authUrl: string;
  readonly credentials: Credentials;
  readonly fetch: Fetch;
}

const TOKEN_PATH = 'protocol/openid-connect/token';
const RENEW_BEFORE_END_MILLISECONDS = 30_000;
/** However short its life is said to be. The API answers 401 if it is over, and one new token follows. */
const LEAST_USE_MILLISECONDS = 10_000;
/** For one request, its body included; never more than the time left. */
const REQUEST_TIMEOUT_MILLISECONDS = 10_000;
/** A token takes a few kilobytes. Counted after decompression. */
const MAX_BODY_BYTES = 65_536;
/** The secret may just have been rotated: it is read once more. Then the refusal is final. */
const CREDENTIAL_TRIES = 2;

interface Issued extends Token {
  readonly renewAt: number;
}

export function createTokens(options: TokenOptions): Tokens {
  let issued: Issued | undefined;
  let pending: { readonly answer: Promise<Issued>; readonly retryBudget: RetryBudget } | undefined;
  const ask = (retryBudget: RetryBudget) => {
    const answer = request(options, retryBudget).finally(() => {
      pending = undefined;
    });
    return { answer, retryBudget };
  };
  return {
    async token(retryBudget) {
      if (issued && retryBudget.clock.now() < issued.renewAt) return issued;
      pending ??= ask(retryBudget);
      const { answer, retryBudget: theirs } = pending;
      try {
        issued = await answer;
      } catch (error) {
        // A request of an invocation that has ended since gave up with its time budget, not with ours.
        if (theirs === retryBudget || !(error instanceof ApiUnavailableError || error instanceof OutOfTimeError))
          throw error;
        return this.token(retryBudget);
      }
      return issued;
    },
    discard(refused) {
      if (issued?.value === refused.value) issued = undefined;
    },
  };
}

/**
 * Holds every request of a run to the client of its first token, because the organization was checked for that one. A failure is kept for the
 * rest of the run, so that no stream asks again for what another was just refused.
 */
export function tokensOfOneRun(tokens: Tokens): Tokens {
  let failure: { readonly error: unknown } | undefined;
  let client: string | undefined;
  return {
    discard: refused => tokens.discard(refused),

    async token(retryBudget) {
      if (failure) throw failure.error;
      try {
        const token = await tokens.token(retryBudget);
        client ??= token.clientId;
        if (token.clientId !== client) throw new ClientChangedError();
        return token;
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
  };
}

/** The endpoint below a realm; a URL that already ends in the token path is taken as it is. */
export function tokenEndpoint(authUrl: string): string {
  const base = authUrl.replace(/\/+$/, '');
  return base.endsWith(`/${TOKEN_PATH}`) ? base : `${base}/${TOKEN_PATH}`;
}

async function request(options: TokenOptions, retryBudget: RetryBudget): Promise<Issued> {
  for (let tries = 1; ; tries++) {
    const credentials = await options.credentials.read(retryBudget);
    try {
      return await ask(credentials, options, retryBudget);
    } catch (error) {
      if (!(error instanceof CredentialsError) || tries === CREDENTIAL_TRIES) throw error;
    }
  }
}

/** @throws TryAgain's `instead`, or what the endpoint's refusal means */
function ask(credentials: ClientCredentials, options: TokenOptions, retryBudget: RetryBudget): Promise<Issued> {
  const { clock } = retryBudget;
  const attempt = async () => {
    const asked = clock.now();
    using timer = timeLimit(REQUEST_TIMEOUT_MILLISECONDS, retryBudget);
    const outcome = await attemptOnce(credentials, options, timer.signal).catch((error: unknown) => error);
    if (isOfOtherType(outcome)) throw new CredentialsError(OTHER_TYPE, { advice: OTHER_TYPE_ADVICE });
    if (isTokenResponse(outcome)) return { ...issue(outcome, asked), clientId: credentials.clientId };
    if (!(outcome instanceof Response)) throw unavailable(outcome, timer.signal.aborted);
    const { status, headers } = outcome;
    const failure = failureOfAnswer(status, headers, clock.now());
    if (failure === 'final') throw await refusal(outcome, credentials);
    throw new TryAgain(failure, answered(status, 'The token endpoint', 'the token endpoint'));
  };
  return retry(attempt, { budget: retryBudget });
}

/** @returns the token response, or the answer without a token */
async function attemptOnce(
  { clientId, clientSecret }: ClientCredentials,
  { authUrl, fetch }: TokenOptions,
  signal: AbortSignal,
) {
  const server: oauth.AuthorizationServer = { issuer: authUrl, token_endpoint: tokenEndpoint(authUrl) };
  const client: oauth.Client = { client_id: clientId };
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(clientSecret),
    new URLSearchParams(),
    {
      // The library reads bodies whole, and so would we those of errors, after its time limit.
      [oauth.customFetch]: async (url, init) =>
        bounded(await fetch(url, { ...(init as RequestInit), redirect: 'manual' }), MAX_BODY_BYTES),
      // http is refused by the settings, but for loopback, where local runs live.
      [oauth.allowInsecureRequests]: true,
      signal,
    },
  );
  if (response.status !== 200) return response;
  return oauth.processClientCredentialsResponse(server, client, response);
}

function isTokenResponse(value: unknown): value is oauth.TokenEndpointResponse {
  if (typeof value !== 'object' || value === null || !('access_token' in value)) return false;
  // A token with characters that no header may hold is refused here, because the error of fetch would quote it.
  return typeof value.access_token === 'string' && /^[\x21-\x7e]+$/.test(value.access_token);
}

/** The library refuses the types that it does not know, and knows one that is no Bearer token. */
function isOfOtherType(outcome: unknown): boolean {
  if (outcome instanceof oauth.UnsupportedOperationError) return true;
  return isTokenResponse(outcome) && outcome.token_type !== 'bearer';
}

const OTHER_TYPE = 'The token endpoint issued a token whose token_type is not Bearer.';
const OTHER_TYPE_ADVICE =
  "Check the URL of the token endpoint, and ask the API's operator for credentials that get Bearer tokens.";

function issue(
  { access_token: value, expires_in: seconds = 300 }: oauth.TokenEndpointResponse,
  asked: number,
): Omit<Issued, 'clientId'> {
  const life = seconds * 1000;
  // A token that lives shorter than the margin is still used for half its life, or each call would ask for another.
  const use = Math.max(life - RENEW_BEFORE_END_MILLISECONDS, life / 2, LEAST_USE_MILLISECONDS);
  return { value, renewAt: asked + use };
}

/** Names the OAuth error code, never its free text. */
async function refusal(
  response: Response,
  credentials: ClientCredentials,
): Promise<CredentialsError | ApiRefusedError> {
  // A redirect or a 404 says that the URL is wrong, not the credentials.
  if (![400, 401, 403].includes(response.status)) return new ApiRefusedError('The token endpoint', response.status);
  const body: unknown = await response.json().catch(() => undefined);
  const code = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : '';
  const said = /^[a-z_]{1,40}$/.test(code) ? `${response.status} ${code}` : `${response.status}`;
  return new CredentialsError(`The token endpoint refused the client credentials (${said}).${strayIn(credentials)}`);
}

/** White space or an invisible character at either end, or a control character anywhere. */
const STRAY = /^[\s\p{C}]|[\s\p{C}]$|\p{Cc}/u;

/**
 * Names what was probably stored by mistake, such as the line feed at the end of a file. Said only after a refusal, because a server may accept
 * such a text: RFC 6749 (appendix A) allows spaces anywhere in an id and a secret, and a connector that works must not stop.
 */
function strayIn({ clientId, clientSecret }: ClientCredentials): string {
  const names = Object.entries({ client_id: clientId, client_secret: clientSecret })
    .filter(([, text]) => STRAY.test(text))
    .map(([name]) => name);
  if (names.length === 0) return '';
  const [begin, end, have] = names.length > 1 ? ['begin', 'end', 'have'] : ['begins', 'ends', 'has'];
  return ` ${names.join(' and ')} ${begin} or ${end} with white space, or ${have} a control character, such as the line feed at the end of a file.`;
}

/** The error for an answer without a token, or for no answer. */
function unavailable(outcome: unknown, timedOut: boolean): Error {
  // The library's errors may hold the answer, and so a token.
  const cause = publicError(outcome);
  const failed = timedOut ? TIMED_OUT : connectionErrorOf(outcome);
  const error = unconnected('The token endpoint', failed, cause);
  return failed.isFinal ? error : new TryAgain('transient', error);
}

function connectionErrorOf(outcome: unknown): ConnectionError {
  const failed = connectionError(outcome);
  if (failed) return failed;
  const isTooLarge = outcome instanceof BodyTooLargeError;
  const what = isTooLarge ? `its answer exceeds ${MAX_BODY_BYTES} bytes` : 'it did not answer as OAuth 2.0 asks';
  return { what, isFinal: false };
}
