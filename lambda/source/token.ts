/**
 * Gets access tokens by client credentials (RFC 6749 §4.4; specification, Authentication). All
 * streams share one request. A token is reused for its lifetime, and is renewed shortly before its
 * end. The secret is read again for each token, so that a wrong or leaked secret is out of use
 * within the lifetime of a token, five minutes.
 */
import * as oauth from 'oauth4webapi';
import {
  ApiRefusedError,
  ApiUnavailableError,
  ClientChangedError,
  CredentialsError,
  OutOfTimeError,
} from '../core/errors.ts';
import { publicError } from '../core/public-error.ts';
import { type RetryBudget, retry, TryAgain } from '../core/retry.ts';
import type { ClientCredentials, CredentialsReader } from './credentials.ts';
import { answerTo, busyError, type Fetch, type HttpAnswer, textMember, unavailableError } from './http.ts';

export interface Token {
  readonly value: string;
  /**
   * Client to which the token was issued. It determines to which organization the rows of an answer
   * belong.
   */
  readonly clientId: string;
}

export interface TokenSource {
  /**
   * Returns a token that is still valid for some time. @throws CredentialsError,
   * ApiUnavailableError, OutOfTimeError
   */
  token(retryBudget: RetryBudget): Promise<Token>;
  /** Makes the next call request a new token, unless another token was issued after `refused`. */
  discard(refused: Token): void;
}

export interface TokenOptions {
  /** URL of the realm, or of the token endpoint. */
  readonly authUrl: string;
  readonly credentials: CredentialsReader;
  readonly fetch: Fetch;
}

const TOKEN_PATH = 'protocol/openid-connect/token';
const RENEW_BEFORE_END_MILLISECONDS = 30_000;
/**
 * Shortest use of a token, even if the answer states a shorter lifetime. If the token has expired,
 * the API answers 401, and one new token is requested.
 */
const LEAST_USE_MILLISECONDS = 10_000;
/**
 * Milliseconds that one request may take, including its body, but never more than the time left.
 */
const REQUEST_TIMEOUT_MILLISECONDS = 10_000;
/** Largest body in bytes, counted after decompression. A token takes a few kilobytes. */
const MAX_BODY_BYTES = 65_536;
/**
 * Number of tries with the secret. After a refusal the secret is read once more, because it may
 * just have been rotated. The second refusal is final.
 */
const CREDENTIAL_TRIES = 2;

interface Issued extends Token {
  readonly renewAt: number;
}

export function createTokenSource(options: TokenOptions): TokenSource {
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
      const { answer, retryBudget: requestBudget } = pending;
      try {
        issued = await answer;
      } catch (error) {
        // If an earlier invocation made the request, the request failed because of the time budget
        // of that invocation, so this invocation makes its own.
        if (requestBudget === retryBudget || !(error instanceof ApiUnavailableError || error instanceof OutOfTimeError))
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
 * Holds every request of a run to the client of its first token, because the organization was
 * checked for that client. A failure is kept for the rest of the run, so that no stream repeats a
 * request that was just refused to another stream.
 */
export function tokenSourceOfRun(tokens: TokenSource): TokenSource {
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

/**
 * Returns the token endpoint below a realm. A URL that already ends in the token path is returned
 * unchanged.
 */
export function tokenEndpoint(authUrl: string): string {
  const base = authUrl.replace(/\/+$/, '');
  return base.endsWith(`/${TOKEN_PATH}`) ? base : `${base}/${TOKEN_PATH}`;
}

function request(options: TokenOptions, budget: RetryBudget): Promise<Issued> {
  let credentials: ClientCredentials | undefined;
  let refusals = 0;
  const attempt = async () => {
    credentials ??= await options.credentials.read(budget);
    try {
      return await grant(credentials, options, budget);
    } catch (error) {
      if (!(error instanceof CredentialsError) || ++refusals === CREDENTIAL_TRIES) throw error;
      credentials = undefined;
      throw new TryAgain('at once', error);
    }
  };
  return retry(attempt, { budget });
}

const NAME = 'The token endpoint';
const NOT_OAUTH = 'it did not answer as OAuth 2.0 asks';

/** @throws TryAgain, CredentialsError, ApiRefusedError, OutOfTimeError */
async function grant(
  { clientId, clientSecret }: ClientCredentials,
  { authUrl, fetch }: TokenOptions,
  budget: RetryBudget,
): Promise<Issued> {
  const asked = budget.clock.now();
  const limits = { name: NAME, bound: MAX_BODY_BYTES, timeout: REQUEST_TIMEOUT_MILLISECONDS, budget };
  const server: oauth.AuthorizationServer = { issuer: authUrl, token_endpoint: tokenEndpoint(authUrl) };
  const client: oauth.Client = { client_id: clientId };
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(clientSecret),
    new URLSearchParams(),
    {
      [oauth.customFetch]: async (url, init) => {
        const request = { fetch, url, init: init as RequestInit, ...limits };
        const answer = await answerTo(request).catch((error: unknown) => {
          throw unavailableError(NAME, error);
        });
        if (answer.status !== 200) throw busyError(answer, request, 'the token endpoint') ?? refusal(answer);
        return new Response(answer.body, { headers: answer.headers });
      },
      // The settings refuse http except for loopback addresses, which local runs use.
      [oauth.allowInsecureRequests]: true,
    },
  );

  const token = await oauth.processClientCredentialsResponse(server, client, response).catch((error: unknown) => {
    // The library's errors may contain the answer, and so a token.
    throw new TryAgain('transient', new ApiUnavailableError(NAME, NOT_OAUTH, { cause: publicError(error) }));
  });
  // A token with characters that no header may hold is refused here, because the error of fetch
  // would quote it.
  if (!/^[\x21-\x7e]+$/.test(token.access_token))
    throw new TryAgain('transient', new ApiUnavailableError(NAME, NOT_OAUTH));
  return { value: token.access_token, clientId, renewAt: asked + useOf(token) };
}

/** Milliseconds for which a token is used. */
function useOf({ expires_in: seconds = 300 }: oauth.TokenEndpointResponse): number {
  const life = seconds * 1000;
  // A token whose life is shorter than the margin is still used for half of its life. Otherwise
  // each call would request another token.
  return Math.max(life - RENEW_BEFORE_END_MILLISECONDS, life / 2, LEAST_USE_MILLISECONDS);
}

/** The error contains the OAuth error code, but never the free text of the answer. */
function refusal({ status, body }: HttpAnswer): CredentialsError | ApiRefusedError {
  // A redirect or a 404 says that the URL is wrong, not the credentials.
  if (![400, 401, 403].includes(status)) return new ApiRefusedError(NAME, status);
  const code = textMember(body, 'error') ?? '';
  const said = /^[a-z_]{1,40}$/.test(code) ? `${status} ${code}` : `${status}`;
  return new CredentialsError(`The token endpoint refused the client credentials (${said}).`);
}
