/** Tokens of Keycloak for the adapter of the function. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTokenSource } from '../../../lambda/source/token.ts';
import { rejection, wordsOf } from '../../support/function/rejection.ts';
import { retryBudget, steppedClock } from '../../support/function/stepped-clock.ts';
import { createRealm, type Realm } from './support/realm.ts';

/** The adapter against the realm, with credentials that a test may change. */
function tokensOf({ authUrl, secret }: Pick<Realm, 'authUrl' | 'secret'>) {
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(secret);
  const held = { reads: 0 };
  const credentials = {
    async read() {
      held.reads++;
      return { clientId, clientSecret };
    },
  };
  const clock = steppedClock();
  const tokens = createTokenSource({ authUrl, credentials, fetch });
  return { held, clock, token: async () => (await tokens.token(retryBudget(clock))).value };
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

let realm: Realm;
beforeAll(async () => {
  realm = await createRealm();
});
afterAll(async () => realm[Symbol.asyncDispose]());

describe('a token of Keycloak', () => {
  test.each([':', '+', '%', '%2B', 'ключ', '🔑', 'a:b:c', '&=#?/', '"\'\\', ' lead', '~!*()'])(
    'Keycloak issues a token for a secret that contains %j',
    async special => {
      const secret = await realm.rotate(`${special}secret${special}`);
      expect(await tokensOf({ authUrl: realm.authUrl, secret }).token()).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    },
  );

  test('a token of Keycloak lasts 300 seconds and is renewed thirty seconds before its end', async () => {
    const { clock, token } = tokensOf({ ...realm, secret: await realm.rotate('another') });
    const first = await token();
    const { exp, iat } = claimsOf(first);
    expect(exp - iat).toBe(300);
    // Keycloak counts whole seconds from its answer: on a busy machine it says 299.
    clock.advance(268_999);
    expect(await token()).toBe(first);
    clock.advance(1_001);
    expect(claimsOf(await token()).jti).not.toBe(claimsOf(first).jti);
  });

  test('Keycloak issues a token both for the whole token path and for the realm', async () => {
    const authUrl = `${realm.authUrl}/protocol/openid-connect/token`;
    const secret = await realm.rotate('another');
    expect(claimsOf(await tokensOf({ authUrl, secret }).token()).iss).toBe(realm.authUrl);
  });
});

describe('a refusal of Keycloak', () => {
  test.each<[string, string, (realm: Realm) => Promise<unknown>]>([
    ['of a wrong secret', '401 unauthorized_client', realm => realm.rotate('another')],
    ['of a disabled client', '401 invalid_client', realm => realm.enableClient(false)],
    ['of a disabled service account', '401 invalid_request', realm => realm.enableServiceAccount(false)],
  ])('the refusal %s causes a CredentialsError (%s) after the secret was read again', async (_what, said, change) => {
    await using realm = await createRealm();
    await change(realm);
    const { held, token } = tokensOf(realm);
    const error = await rejection(token());
    expect(error.name).toBe('CredentialsError');
    expect(error.message).toContain(said);
    expect(held.reads).toBe(2);
    expect(wordsOf(error)).not.toContain(JSON.parse(realm.secret).client_secret);
  });

  test('the error about an unknown realm blames the URL instead of the credentials', async () => {
    const { token } = tokensOf({ authUrl: `${realm.authUrl}-none`, secret: realm.secret });
    expect((await rejection(token())).name).toBe('ApiRefusedError');
  });
});
