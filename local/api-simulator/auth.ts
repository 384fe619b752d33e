import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { StreamName } from '../../lambda/streams.ts';
import { type Answer, type Call, ProblemError } from './problem.ts';
import type { SimulatorSettings } from './settings.ts';

/** A token is valid for 5 minutes (specification, Authentication). */
export const TOKEN_SECONDS = 300;

/** Issues tokens and checks them. */
export interface Authority {
  issue(): Promise<string>;
  /** Throws the specified 401 and 403 problems unless the header carries a valid token of an account with the area's role. */
  admit(authorization: string | undefined, area: StreamName): Promise<void>;
  /** Ends the lifetime of every token issued so far. */
  expireTokens(): void;
}

export function createAuthority(
  clock: () => number,
  format: TokenFormat,
  account: Account,
  settings: SimulatorSettings,
): Authority {
  const now = (): number => Math.floor(clock() / 1000);
  let issued = 0;
  let expiredUpTo = 0;
  return {
    async issue() {
      issued += 1;
      return format.write({ serial: issued, expiresAt: now() + TOKEN_SECONDS, roles: [...account.roles] });
    },
    async admit(authorization, area) {
      const claims = await format.read(bearer(authorization), now());
      if (claims.serial <= expiredUpTo) throw expired();
      if (account.revoked) throw new ProblemError('auth/revoked-account', 'The service account has been disabled.');
      const role = settings.roles[area];
      if (!claims.roles.includes(role) || !account.roles.has(role)) {
        throw new ProblemError('auth/insufficient-role', `This endpoint requires the role ${role}.`);
      }
    },
    expireTokens() {
      expiredUpTo = issued;
    },
  };
}

function bearer(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new ProblemError('auth/missing-token', 'Send Authorization: Bearer <ACCESS_TOKEN>.', {
      'www-authenticate': 'Bearer',
    });
  }
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token) return token;
  throw new ProblemError('auth/invalid-token', 'The Authorization header holds no bearer token.', {
    'www-authenticate': 'Bearer error="invalid_token"',
  });
}

/** The service account. */
export interface Account {
  readonly clientId: string;
  clientSecret: string;
  revoked: boolean;
  readonly roles: Set<string>;
  /** Replaces the secret and returns the new one. Issued tokens stay valid. */
  rotateSecret(): string;
}

export function createAccount(random: () => number, settings: SimulatorSettings): Account {
  return {
    clientId: settings.clientId,
    clientSecret: settings.clientSecret ?? drawSecret(random),
    revoked: false,
    roles: new Set(Object.values(settings.roles)),
    rotateSecret() {
      this.clientSecret = drawSecret(random);
      return this.clientSecret;
    },
  };
}

/** Bytes from the API simulator's random generator, so that a run can be repeated. */
export function drawBytes(random: () => number, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

/** Contains every character that a client must encode in a Basic header. */
function drawSecret(random: () => number): string {
  return `${Buffer.from(drawBytes(random, 18)).toString('base64url')}+%2F/: ü&=`;
}

/** OAuth's own error format (RFC 6749 §5.2). The token endpoint has no problem documents. */
function oauthError(status: number, error: string, description: string): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ error, error_description: description }),
  };
}

/** Serves the token endpoint: client credentials only. Credentials in the form override those in the Basic header. */
export async function answerTokenCall(call: Call, account: Account, authority: Authority): Promise<Answer> {
  if (call.method !== 'POST') {
    const refusal = oauthError(405, 'invalid_request', 'The token endpoint takes POST only.');
    return { ...refusal, headers: { ...refusal.headers, allow: 'POST' } };
  }
  const form = readForm(call);
  if (!form)
    return oauthError(400, 'invalid_request', 'Send an application/x-www-form-urlencoded body, each field once.');
  const refusal = refuseGrant(form) ?? refuseClient(form, call, account);
  if (refusal) return refusal;
  const accessToken = await authority.issue();
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ access_token: accessToken, expires_in: TOKEN_SECONDS, token_type: 'Bearer' }),
  };
}

function readForm(call: Call): Map<string, string> | undefined {
  const contentType = call.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (contentType !== 'application/x-www-form-urlencoded') return undefined;
  const fields = [...new URLSearchParams(call.body)];
  const form = new Map(fields);
  return form.size === fields.length ? form : undefined;
}

function refuseGrant(form: ReadonlyMap<string, string>): Answer | undefined {
  const grant = form.get('grant_type');
  if (grant === undefined) return oauthError(400, 'invalid_request', 'grant_type is missing.');
  if (grant === 'client_credentials') return undefined;
  return oauthError(400, 'unsupported_grant_type', 'The only grant is client_credentials.');
}

function refuseClient(form: ReadonlyMap<string, string>, call: Call, account: Account): Answer | undefined {
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

/** Id and secret are form-urlencoded separately before they are joined and encoded (RFC 6749 §2.3.1). */
function readBasic(authorization: string | undefined): { id: string; secret: string } | 'undecodable' | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? '')?.[1];
  if (!encoded) return undefined;
  const pair = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString());
  try {
    return pair ? { id: formDecode(pair[1]!), secret: formDecode(pair[2]!) } : undefined;
  } catch {
    return 'undecodable';
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** The claims of a token. Times are in seconds since the epoch. */
export interface Claims {
  readonly serial: number;
  readonly expiresAt: number;
  readonly roles: readonly string[];
}

/** Makes and reads access tokens. `read` throws `auth/invalid-token` or `auth/expired-token`. */
export interface TokenFormat {
  write(claims: Claims): string | Promise<string>;
  read(token: string, now: number): Claims | Promise<Claims>;
}

/** Signed JSON Web Tokens. Verified tokens are cached, so that reading them again takes no cryptography. */
export function signedTokens(key: Uint8Array, issuer: string, subject: string): TokenFormat {
  const verified = new Map<string, Claims>();
  const cache = (token: string, claims: Claims): Claims => {
    if (verified.size >= 1000) verified.clear();
    verified.set(token, claims);
    return claims;
  };
  return {
    async write(claims) {
      const token = await new SignJWT({ roles: claims.roles })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(subject)
        .setJti(String(claims.serial))
        .setExpirationTime(claims.expiresAt)
        .sign(key);
      cache(token, claims);
      return token;
    },
    read(token, now) {
      const known = verified.get(token);
      if (!known) return verify(token, key, issuer, now).then(claims => cache(token, claims));
      if (known.expiresAt <= now) throw expired();
      return known;
    },
  };
}

async function verify(token: string, key: Uint8Array, issuer: string, now: number): Promise<Claims> {
  try {
    const options = { issuer, algorithms: ['HS256'], currentDate: new Date(now * 1000) };
    const { payload } = await jwtVerify(token, key, options);
    return { serial: Number(payload.jti), expiresAt: payload.exp ?? 0, roles: payload['roles'] as string[] };
  } catch (error) {
    throw error instanceof errors.JWTExpired ? expired() : invalid();
  }
}

/** Opaque tokens in a table. Synchronous, so that a simulation replays exactly. */
export function tableTokens(): TokenFormat {
  const issued = new Map<string, Claims>();
  return {
    write(claims) {
      const token = `table-token-${claims.serial}`;
      issued.set(token, claims);
      return token;
    },
    read(token, now) {
      const claims = issued.get(token);
      if (!claims) throw invalid();
      if (claims.expiresAt <= now) throw expired();
      return claims;
    },
  };
}

export function expired(): ProblemError {
  return new ProblemError('auth/expired-token', "The token's lifetime of 5 minutes has passed.", challenge('expired'));
}

export function invalid(): ProblemError {
  return new ProblemError(
    'auth/invalid-token',
    'The token is malformed or its signature does not verify.',
    challenge('invalid'),
  );
}

function challenge(reason: string): Record<string, string> {
  return { 'www-authenticate': `Bearer error="invalid_token", error_description="${reason}"` };
}

/** The part of a Keycloak token that holds its roles. */
interface RealmToken extends JWTPayload {
  readonly typ?: unknown;
  readonly realm_access?: { readonly roles?: unknown };
}

/**
 * Accepts own tokens, and those of another server's realm, verified by the keys that it publishes (RS256). Their roles are
 * their realm roles.
 *
 * @param realm URL of the realm, which its tokens name as their issuer
 */
export function withTrustedIssuer(own: TokenFormat, realm: string): TokenFormat {
  const keys = createRemoteJWKSet(new URL(`${realm}/protocol/openid-connect/certs`));
  return {
    write: claims => own.write(claims),
    read: (token, now) => (issuerOf(token) === realm ? verifyOfRealm(token, keys, realm, now) : own.read(token, now)),
  };
}

/** The issuer in an unverified token. It only selects the verifier. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

async function verifyOfRealm(
  token: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
  issuer: string,
  now: number,
): Promise<Claims> {
  const options = { issuer, algorithms: ['RS256'], currentDate: new Date(now * 1000), requiredClaims: ['exp'] };
  const { payload } = await jwtVerify<RealmToken>(token, keys, options).catch((error: unknown) => {
    if (error instanceof errors.JWTExpired) throw expired();
    // A failure to load the keys does not make the token invalid.
    throw error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) ? invalid() : error;
  });
  // The realm signs refresh and identity tokens with the same key.
  if (payload.typ !== 'Bearer') throw invalid();
  const roles = payload.realm_access?.roles;
  return { serial: NEVER_EXPIRED_HERE, expiresAt: payload.exp!, roles: Array.isArray(roles) ? roles : [] };
}

/** The control API only expires tokens that were issued here. */
const NEVER_EXPIRED_HERE = Number.POSITIVE_INFINITY;
