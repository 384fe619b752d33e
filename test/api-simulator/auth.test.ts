import { describe, expect, test } from '@jest/globals';
import { basic, createTenant, GRANT, type Tenant } from './tenant.ts';

/** Status and the end of the problem's type. */
async function refusal(call: ReturnType<Tenant['get']>): Promise<string> {
  const { status, body } = await call;
  return `${status} ${String(body.type).split('/').slice(-2).join('/')}`;
}

interface Refused {
  readonly refused: string;
  readonly answer: string;
  readonly headers: (id: string, secret: string) => Record<string, string>;
  readonly form?: Record<string, string>;
}

describe('the token endpoint', () => {
  const good = (id: string, secret: string) => ({ authorization: basic(id, secret) });
  const nobody = () => ({});

  test.each<Refused>([
    {
      refused: 'an unknown client',
      answer: '401 invalid_client',
      headers: (_: string, secret: string) => good('x', secret),
    },
    { refused: 'a wrong secret', answer: '401 unauthorized_client', headers: (id: string) => good(id, 'x') },
    { refused: 'no client', answer: '401 invalid_client', headers: nobody },
    { refused: 'a broken header', answer: '401 invalid_client', headers: () => ({ authorization: 'Basic %%%' }) },
    {
      refused: 'broken percent-encoding',
      answer: '400 unauthorized_client',
      headers: () => ({ authorization: `Basic ${btoa('%zz:x')}` }),
    },
    {
      refused: 'another grant, before the client is looked at',
      answer: '400 unsupported_grant_type',
      form: { grant_type: 'password' },
      headers: nobody,
    },
    { refused: 'no grant', answer: '400 invalid_request', form: {}, headers: good },
    {
      refused: 'another content type',
      answer: '400 invalid_request',
      headers: () => ({ 'content-type': 'application/json' }),
    },
  ])('the token endpoint refuses $refused with $answer', async ({ answer, headers, form = GRANT }) => {
    const { simulator, requestToken } = createTenant();
    const { clientId, clientSecret } = simulator.account;
    const reply = await requestToken(headers(clientId, clientSecret), form);
    expect(`${reply.status} ${reply.body.error}`).toBe(answer);
  });

  test('the token endpoint decodes id and secret from their form encoding, so a raw secret with + fails', async () => {
    const { requestToken } = createTenant({ clientId: 'id', clientSecret: 'a+%2F: ü' });
    const raw = `Basic ${Buffer.from('id:a+%2F: ü').toString('base64')}`;
    expect((await requestToken({ authorization: raw }, GRANT)).body.error).toBe('unauthorized_client');
    expect((await requestToken(good('id', 'a+%2F: ü'), GRANT)).status).toBe(200);
  });

  test('the token endpoint lets client_id and client_secret in the form override the Basic header', async () => {
    const { simulator, requestToken } = createTenant();
    const { clientId: client_id, clientSecret: client_secret } = simulator.account;
    expect((await requestToken(good('x', 'y'), { ...GRANT, client_id, client_secret })).status).toBe(200);
    const wrong = { ...GRANT, client_secret: 'wrong' };
    expect((await requestToken(good(client_id, client_secret), wrong)).status).toBe(401);
  });

  test('the token endpoint accepts only POST', async () => {
    const { simulator, get } = createTenant();
    const { status, headers } = await get(simulator.tokenPath, null);
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
  });

  test('after a rotation the token endpoint refuses the old secret, but issued tokens stay valid', async () => {
    const { simulator, get, token, requestToken } = createTenant();
    const { clientId, clientSecret } = simulator.account;
    const before = await token();
    const rotated = simulator.account.rotateSecret();
    expect(rotated).not.toBe(clientSecret);
    expect((await requestToken(good(clientId, clientSecret), GRANT)).status).toBe(401);
    expect((await requestToken(good(clientId, rotated), GRANT)).status).toBe(200);
    expect((await get('/v1/assets', before)).status).toBe(200);
  });
});

test('a drawn secret can be pasted into a shell and a URL', () => {
  expect(createTenant().simulator.account.clientSecret).toMatch(/^[\w-]{24}$/);
});

describe('a token', () => {
  test('a token that the operator expired is refused, and a later token is accepted', async () => {
    const { simulator, get, token } = createTenant();
    const bearer = await token();
    simulator.account.expireTokens();
    expect(await refusal(get('/v1/assets', bearer))).toBe('401 auth/expired-token');
    expect((await get('/v1/assets')).status).toBe(200);
  });

  test('a token of another issuer is read by the function given to createSimulator', async () => {
    const { clock, get } = createTenant({
      readToken: async text =>
        text.startsWith('foreign') ? { expiresAt: clock.now / 1000 + 60, roles: ['assets:read'] } : undefined,
    });
    expect((await get('/v1/assets', 'Bearer foreign')).status).toBe(200);
    expect(await refusal(get('/v1/threats', 'Bearer foreign'))).toBe('403 auth/insufficient-role');
    expect(await refusal(get('/v1/assets', 'Bearer other'))).toBe('401 auth/invalid-token');
  });
});

test('a disabled account gets invalid_request from the token endpoint and auth/revoked-account from the API', async () => {
  const { simulator, get, token, requestToken } = createTenant();
  const bearer = await token();
  simulator.account.revoked = true;
  expect(await refusal(get('/v1/threats', bearer))).toBe('401 auth/revoked-account');
  const { clientId, clientSecret } = simulator.account;
  const { status, body } = await requestToken({ authorization: basic(clientId, clientSecret) }, GRANT);
  expect({ status, error: body.error }).toEqual({ status: 401, error: 'invalid_request' });
});

test('a removed role gives 403 at once, and a role that is given back applies to new tokens', async () => {
  const { simulator, get, token } = createTenant();
  const bearer = await token();
  simulator.account.roles.delete('threats:read');
  for (const target of ['/v1/threats', '/v1/threats/x']) {
    expect(await refusal(get(target, bearer))).toBe('403 auth/insufficient-role');
  }
  expect((await get('/v1/assets', bearer)).status).toBe(200);
  const without = await token();
  simulator.account.roles.add('threats:read');
  expect((await get('/v1/threats', without)).status).toBe(403);
  expect((await get('/v1/threats')).status).toBe(200);
});
