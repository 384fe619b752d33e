import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { type Claims, expired, invalid, type TokenFormat } from './tokens.ts';

/** The part of a Keycloak token that says its roles. */
interface RealmToken extends JWTPayload {
  readonly typ?: unknown;
  readonly realm_access?: { readonly roles?: unknown };
}

/**
 * Tokens of one's own, and those of another server's realm, verified by the keys that it publishes (RS256). Their roles are the
 * realm roles that they carry.
 *
 * @param realm its URL, which is what its tokens name as their issuer
 */
export function withTrustedIssuer(own: TokenFormat, realm: string): TokenFormat {
  const keys = createRemoteJWKSet(new URL(`${realm}/protocol/openid-connect/certs`));
  return {
    write: claims => own.write(claims),
    read: (token, now) => (issuerOf(token) === realm ? verify(token, keys, realm, now) : own.read(token, now)),
  };
}

/** What an unverified token says of itself, which only chooses the verifier. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

async function verify(
  token: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
  issuer: string,
  now: number,
): Promise<Claims> {
  const options = { issuer, algorithms: ['RS256'], currentDate: new Date(now * 1000), requiredClaims: ['exp'] };
  const { payload } = await jwtVerify<RealmToken>(token, keys, options).catch((error: unknown) => {
    if (error instanceof errors.JWTExpired) throw expired();
    // Keys that cannot be had are no fault of the token.
    throw error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) ? invalid() : error;
  });
  // The realm signs refresh and identity tokens with the same key.
  if (payload.typ !== 'Bearer') throw invalid();
  const roles = payload.realm_access?.roles;
  return { serial: NEVER_ENDED_HERE, expiresAt: payload.exp!, roles: Array.isArray(roles) ? roles : [] };
}

/** The control side ends the lifetime of the tokens that were issued here. */
const NEVER_ENDED_HERE = Number.POSITIVE_INFINITY;
