import { hash } from 'node:crypto';
import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import { type HttpAnswer, type HttpCall, ProblemError } from './problem.ts';
import type { SimulatorSettings } from './settings.ts';

/** A token is valid for 5 minutes (specification, Authentication). */
const TOKEN_SECONDS = 300;

/**
 * The role that an endpoint requires. The specification does not show the names of roles, so the
 * simulator invents them.
 */
export function roleOf(stream: StreamName): string {
  return `${stream}:read`;
}

/** The claims of a token. `expiresAt` is in seconds since 1970. */
export interface TokenClaims {
  readonly expiresAt: number;
  readonly roles: readonly string[];
}

/** Draws bytes from the API simulator's random generator, so that a run can be repeated. */
export function drawBytes(random: () => number, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

/** The service account, with the opaque tokens that were issued to it. */
export class ServiceAccount {
  readonly clientId: string;
  clientSecret: string;
  revoked = false;
  readonly roles = new Set<string>(STREAMS.map(({ name }) => roleOf(name)));
  #tokens = new Map<string, TokenClaims>();
  #issued = 0;
  readonly #clock: () => number;
  readonly #random: () => number;
  readonly #key: string;

  /** @param key key from which tokens are derived, so that nobody can guess a token */
  constructor(clock: () => number, random: () => number, key: Uint8Array, settings: SimulatorSettings) {
    this.#clock = clock;
    this.#random = random;
    this.#key = Buffer.from(key).toString('hex');
    this.clientId = settings.clientId;
    this.clientSecret = settings.clientSecret ?? this.#drawSecret();
  }

  /** Replaces the secret and returns the new secret. Issued tokens stay valid. */
  rotateSecret(): string {
    this.clientSecret = this.#drawSecret();
    return this.clientSecret;
  }

  issueToken(): string {
    const serial = String(++this.#issued);
    const token = `${serial}.${hash('sha256', `${this.#key} ${serial}`, 'base64url')}`;
    this.#tokens.set(token, { expiresAt: this.#now() + TOKEN_SECONDS, roles: [...this.roles] });
    return token;
  }

  /** The claims of an issued token. Undefined for any other text. */
  tokenOf(text: string): TokenClaims | undefined {
    return this.#tokens.get(text);
  }

  /** Makes every token issued so far invalid. */
  expireTokens(): void {
    for (const [text, token] of this.#tokens) this.#tokens.set(text, { ...token, expiresAt: 0 });
  }

  /**
   * Admits a call with a valid token that has the role. Otherwise throws the specified 401 or 403
   * problem.
   */
  admit(token: TokenClaims | undefined, role: string): void {
    if (!token) throw new ProblemError('auth/invalid-token', 'The token was not issued here.');
    if (token.expiresAt <= this.#now()) {
      throw new ProblemError('auth/expired-token', "The token's lifetime of 5 minutes has passed.");
    }
    if (this.revoked) throw new ProblemError('auth/revoked-account', 'The service account has been disabled.');
    if (!token.roles.includes(role) || !this.roles.has(role)) {
      throw new ProblemError('auth/insufficient-role', `This endpoint requires the role ${role}.`);
    }
  }

  #now(): number {
    return Math.floor(this.#clock() / 1000);
  }

  /** Draws a secret that can be pasted into a shell. */
  #drawSecret(): string {
    return Buffer.from(drawBytes(this.#random, 18)).toString('base64url');
  }
}

/** Reads the token from an Authorization header. */
export function readBearerToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new ProblemError('auth/missing-token', 'Send Authorization: Bearer <ACCESS_TOKEN>.');
  }
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token) return token;
  throw new ProblemError('auth/invalid-token', 'The header holds no bearer token.');
}

/**
 * Serves the token endpoint, with client credentials as the only grant. Credentials in the form
 * override the credentials in the Basic header.
 */
export function answerTokenCall(call: HttpCall, account: ServiceAccount): HttpAnswer {
  if (call.method !== 'POST') {
    const refusal = oauthError(405, 'invalid_request', 'The token endpoint takes POST only.');
    return { ...refusal, headers: { ...refusal.headers, allow: 'POST' } };
  }
  const form = readForm(call);
  if (!form) return oauthError(400, 'invalid_request', 'Send a form-urlencoded body, each field once.');

  const refusal = refuseGrant(form) ?? refuseClient(form, call, account);
  return (
    refusal ?? tokenAnswer(200, { access_token: account.issueToken(), expires_in: TOKEN_SECONDS, token_type: 'Bearer' })
  );
}

function tokenAnswer(status: number, body: object): HttpAnswer {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status, headers, body: JSON.stringify(body) };
}

/**
 * An error in OAuth's own format (RFC 6749 §5.2), because the token endpoint does not answer with
 * problem documents.
 */
function oauthError(status: number, error: string, description: string): HttpAnswer {
  return tokenAnswer(status, { error, error_description: description });
}

function readForm(call: HttpCall): Map<string, string> | undefined {
  const contentType = call.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (contentType !== 'application/x-www-form-urlencoded') return undefined;
  const fields = [...new URLSearchParams(call.body)];
  const form = new Map(fields);
  return form.size === fields.length ? form : undefined;
}

function refuseGrant(form: ReadonlyMap<string, string>): HttpAnswer | undefined {
  const grant = form.get('grant_type');
  if (grant === undefined) return oauthError(400, 'invalid_request', 'grant_type is missing.');
  if (grant === 'client_credentials') return undefined;
  return oauthError(400, 'unsupported_grant_type', 'The only grant is client_credentials.');
}

function refuseClient(
  form: ReadonlyMap<string, string>,
  call: HttpCall,
  account: ServiceAccount,
): HttpAnswer | undefined {
  const basic = readBasic(call.header('authorization'));
  if (basic === 'undecodable') {
    return oauthError(400, 'unauthorized_client', 'The client credentials are not form-urlencoded.');
  }
  const id = form.get('client_id') ?? basic?.id;
  const secret = form.get('client_secret') ?? basic?.secret;
  if (id !== account.clientId) return oauthError(401, 'invalid_client', 'Unknown client, or no client authentication.');
  if (account.revoked) return oauthError(401, 'invalid_request', 'The service account is disabled.');
  if (secret === account.clientSecret) return undefined;
  return oauthError(401, 'unauthorized_client', 'Wrong client credentials.');
}

/**
 * Reads a Basic header. Id and secret are form-urlencoded separately before they are joined and
 * encoded (RFC 6749 §2.3.1).
 */
function readBasic(authorization: string | undefined): { id: string; secret: string } | 'undecodable' | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? '')?.[1];
  const pair = encoded && /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString());
  if (!pair) return undefined;
  try {
    const [id, secret] = pair.slice(1).map(text => decodeURIComponent(text.replaceAll('+', ' ')));
    return { id: id!, secret: secret! };
  } catch {
    return 'undecodable';
  }
}
