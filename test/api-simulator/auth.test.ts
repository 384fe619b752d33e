import { describe, expect, test } from '@jest/globals';
import { basic, type Reply } from './api-client.ts';
import { createTenant } from './tenant.ts';

/** Status and the end of the problem's type. */
async function refusal(call: Promise<Reply>): Promise<string> {
  const { status, body } = await call;
  return `${status} ${String(body.type).split('/').slice(-2).join('/')}`;
}

interface Refused {
  readonly refused: string;
  readonly answer: string;
  readonly headers?: Record<string, string>;
  readonly form?: Record<string, string>;
}

describe('the token endpoint', () => {
  const authorized = (id: string, secret: string) => ({ authorization: basic(id, secret) });

  test.each<Refused>([
    { refused: 'a wrong secret', answer: '401 unauthorized_client', headers: authorized('id', 'x') },
    { refused: 'no client', answer: '401 invalid_client' },
    { refused: 'a broken header', answer: '401 invalid_client', headers: { authorization: 'Basic %%%' } },
    { refused: 'another grant', answer: '400 unsupported_grant_type', form: { grant_type: 'password' } },
  ])('the token endpoint refuses $refused with $answer', async ({ answer, headers = {}, form }) => {
    const { client } = createTenant({ clientId: 'id', clientSecret: 'secret' });
    const { status, body } = await client.requestToken(headers, form);
    expect(`${status} ${body.error}`).toBe(answer);
  });

  test('the token endpoint decodes id and secret from their form encoding, so a raw secret with + fails', async () => {
    const { client } = createTenant({ clientId: 'id', clientSecret: 'a+%2F: ü' });
    const raw = `Basic ${Buffer.from('id:a+%2F: ü').toString('base64')}`;
    expect((await client.requestToken({ authorization: raw })).body.error).toBe('unauthorized_client');
    expect((await client.requestToken()).status).toBe(200);
  });

  test('the token endpoint refuses the old secret after a rotation, but its tokens stay valid', async () => {
    const { simulator, client, get } = createTenant();
    const issued = await client.bearer();
    const rotated = simulator.account.rotateSecret();
    expect((await client.requestToken()).status).toBe(401);
    expect((await client.requestToken(authorized(client.target.clientId, rotated))).status).toBe(200);
    expect((await get('/v1/assets', issued)).status).toBe(200);
  });
});

test('a disabled account is refused by the token endpoint and by the API', async () => {
  const { simulator, client, get } = createTenant();
  const issued = await client.bearer();
  simulator.account.revoked = true;
  expect(await refusal(get('/v1/threats', issued))).toBe('401 auth/revoked-account');
  expect(await client.requestToken()).toMatchObject({ status: 401, body: { error: 'invalid_request' } });
});

test('a removed role causes 403 at once, but a restored role applies only to new tokens', async () => {
  const { simulator, client, get } = createTenant();
  const issued = await client.bearer();
  simulator.account.roles.delete('threats:read');
  for (const path of ['/v1/threats', '/v1/threats/x']) {
    expect(await refusal(get(path, issued))).toBe('403 auth/insufficient-role');
  }
  expect((await get('/v1/assets', issued)).status).toBe(200);
  const without = await client.bearer();
  simulator.account.roles.add('threats:read');
  expect((await get('/v1/threats', without)).status).toBe(403);
  expect((await get('/v1/threats')).status).toBe(200);
});
