import { describe, expect, test } from '@jest/globals';
import { basic, createTenant, GRANT } from './tenant.ts';

describe('the token endpoint', () => {
  test('decodes id and secret from their form encoding, so a raw secret with + or % fails', async () => {
    const { simulator, requestToken } = createTenant();
    const { clientId, clientSecret } = simulator.account;
    expect(clientSecret).toMatch(/\+.*%/);
    const raw = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    expect((await requestToken({ authorization: raw }, GRANT)).body.error).toBe('unauthorized_client');
  });

  test('lets client_id and client_secret in the form override the Basic header', async () => {
    const { simulator, requestToken } = createTenant();
    const { clientId, clientSecret } = simulator.account;
    const form = { ...GRANT, client_id: clientId, client_secret: clientSecret };
    expect((await requestToken({ authorization: basic('x', 'y') }, form)).status).toBe(200);
    const wrong = { ...GRANT, client_secret: 'wrong' };
    expect((await requestToken({ authorization: basic(clientId, clientSecret) }, wrong)).status).toBe(401);
  });

  test.each<[string, number, string, Record<string, string>, (id: string, secret: string) => Record<string, string>]>([
    ['an unknown client', 401, 'invalid_client', GRANT, (_, secret) => ({ authorization: basic('x', secret) })],
    ['a wrong secret', 401, 'unauthorized_client', GRANT, id => ({ authorization: basic(id, 'x') })],
    ['no client at all', 401, 'invalid_client', GRANT, () => ({})],
    ['a broken header', 401, 'invalid_client', GRANT, () => ({ authorization: 'Basic %%%' })],
    ['broken percent-encoding', 400, 'unauthorized_client', GRANT, () => ({ authorization: `Basic ${btoa('%zz:x')}` })],
    ['an unknown grant, before it looks at the client', 400, 'unsupported_grant_type', { grant_type: 'x' }, () => ({})],
    [
      'another grant',
      400,
      'unsupported_grant_type',
      { grant_type: 'password' },
      (id, secret) => ({ authorization: basic(id, secret) }),
    ],
    ['no grant', 400, 'invalid_request', {}, (id, secret) => ({ authorization: basic(id, secret) })],
    ['another content type', 400, 'invalid_request', GRANT, () => ({ 'content-type': 'application/json' })],
  ])('refuses %s with %i %s', async (_, status, error, form, headers) => {
    const { simulator, requestToken } = createTenant();
    const reply = await requestToken(headers(simulator.account.clientId, simulator.account.clientSecret), form);
    expect([reply.status, reply.body.error]).toEqual([status, error]);
  });

  test('accepts only POST', async () => {
    const { simulator, get } = createTenant();
    const { status, headers } = await get(simulator.tokenPath, null);
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('refuses the old secret after a rotation, and issued tokens stay valid', async () => {
    const { simulator, get, token, requestToken } = createTenant();
    const { clientId, clientSecret } = simulator.account;
    const before = await token();
    const rotated = simulator.account.rotateSecret();
    expect(rotated).not.toBe(clientSecret);
    expect((await requestToken({ authorization: basic(clientId, clientSecret) }, GRANT)).status).toBe(401);
    expect((await requestToken({ authorization: basic(clientId, rotated) }, GRANT)).status).toBe(200);
    expect((await get('/v1/assets', before)).status).toBe(200);
  });
});

describe.each(['signed', 'table'] as const)('with %s tokens', tokens => {
  test('a token expires after 300 seconds', async () => {
    const { clock, get, token } = createTenant({ tokens });
    const bearer = await token();
    clock.now += 299_999;
    expect((await get('/v1/assets', bearer)).status).toBe(200);
    clock.now += 1;
    const { status, body } = await get('/v1/assets', bearer);
    expect([status, body.type]).toEqual([401, expect.stringMatching(/auth\/expired-token$/)]);
  });

  test('tokens that the operator expired are refused, and later ones are accepted', async () => {
    const { simulator, get, token } = createTenant({ tokens });
    const bearer = await token();
    simulator.authority.expireTokens();
    expect((await get('/v1/assets', bearer)).body.type).toMatch(/auth\/expired-token$/);
    expect((await get('/v1/assets')).status).toBe(200);
  });
});

test('a token that is not cached is verified by its signature', async () => {
  const issuer = createTenant({ tokens: 'signed' });
  const bearer = await issuer.token();
  const twin = createTenant({ tokens: 'signed' });
  await twin.token();
  expect((await twin.get('/v1/assets', bearer)).status).toBe(200);
  twin.clock.now += 300_000;
  const late = createTenant({ tokens: 'signed' });
  late.clock.now += 300_000;
  expect((await late.get('/v1/assets', bearer)).body.type).toMatch(/auth\/expired-token$/);
});

test('a disabled account gets invalid_request from the token endpoint and auth/revoked-account from the API', async () => {
  const { simulator, get, token, requestToken } = createTenant();
  const bearer = await token();
  simulator.account.revoked = true;
  const { status, body } = await get('/v1/threats', bearer);
  expect([status, body.type]).toEqual([401, expect.stringMatching(/auth\/revoked-account$/)]);
  const refused = await requestToken(
    { authorization: basic(simulator.account.clientId, simulator.account.clientSecret) },
    GRANT,
  );
  expect([refused.status, refused.body.error]).toEqual([401, 'invalid_request']);
});

test('a removed role gives 403 at its endpoints at once, and a role that is given back applies to new tokens', async () => {
  const { simulator, get, token } = createTenant();
  const bearer = await token();
  simulator.account.roles.delete('threats:read');
  for (const target of ['/v1/threats', '/v1/threats/x']) {
    const { status, body } = await get(target, bearer);
    expect([status, body.type]).toEqual([403, expect.stringMatching(/auth\/insufficient-role$/)]);
  }
  expect((await get('/v1/assets', bearer)).status).toBe(200);
  const without = await token();
  simulator.account.roles.add('threats:read');
  expect((await get('/v1/threats', without)).status).toBe(403);
  expect((await get('/v1/threats')).status).toBe(200);
});
