/** Tokens of a Keycloak realm, verified by the keys that it publishes (RS256). Their roles are the realm roles. */
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { TokenClaims } from '../../../../local/api-simulator/auth.ts';

/** @returns a reader for `createSimulator`; undefined for a token that the realm did not sign */
export function tokensOfRealm(authUrl: string): (text: string) => Promise<TokenClaims | undefined> {
  const published = fetch(`${authUrl}/protocol/openid-connect/certs`).then(answer => answer.json());
  return async text => {
    const [head = '', payload = '', signature = ''] = text.split('.');
    const { keys } = (await published) as { keys: readonly (JsonWebKey & { readonly kid: string })[] };
    const key = keys.find(({ kid }) => kid === decoded(head)['kid']);
    if (!key) return undefined;

    const signer = createPublicKey({ key, format: 'jwk' });
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${head}.${payload}`),
      signer,
      Buffer.from(signature, 'base64url'),
    );
    const { exp, realm_access: access } = decoded(payload) as { exp: number; realm_access?: { roles: string[] } };
    return isSigned ? { expiresAt: exp, roles: access?.roles ?? [] } : undefined;
  };
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
