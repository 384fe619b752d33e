import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { closeServer, listen } from '../../local/api-simulator/server.ts';
import { createTenant } from './tenant.ts';

const keys = await generateKeyPair('RS256');
const others = await generateKeyPair('RS256');
const server = createServer(async (_, response) => {
  const key = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  response.end(JSON.stringify({ keys: [key] }));
});
let realm: string;
beforeAll(async () => {
  realm = `${await listen(server, 0)}/realms/org`;
});
afterAll(() => closeServer(server));

const GOOD = { typ: 'Bearer', realm_access: { roles: ['assets:read'] } };

/** A token of the realm, valid for five minutes by default. */
async function token(now: number, payload: JWTPayload = GOOD, key = keys.privateKey): Promise<string> {
  const jwt = new SignJWT({ iss: realm, exp: now / 1000 + 300, ...payload });
  return `Bearer ${await jwt.setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key)}`;
}

describe('a token of a trusted realm', () => {
  test('is accepted where it has the role, as are the API simulator’s own tokens', async () => {
    const { clock, get } = createTenant({ trustedIssuer: realm });
    const bearer = await token(clock.now);
    expect((await get('/v1/assets', bearer)).status).toBe(200);
    expect((await get('/v1/threats', bearer)).body.type).toMatch(/auth\/insufficient-role$/);
    expect((await get('/v1/threats')).status).toBe(200);
  });

  test('expires by the clock of the API simulator', async () => {
    const { clock, get } = createTenant({ trustedIssuer: realm });
    const bearer = await token(clock.now);
    clock.now += 299_000;
    expect((await get('/v1/assets', bearer)).status).toBe(200);
    clock.now += 1_000;
    expect((await get('/v1/assets', bearer)).body.type).toMatch(/auth\/expired-token$/);
  });

  test('is refused after the account was disabled', async () => {
    const { clock, get, simulator } = createTenant({ trustedIssuer: realm });
    simulator.account.revoked = true;
    expect((await get('/v1/assets', await token(clock.now))).body.type).toMatch(/auth\/revoked-account$/);
  });

  test('is invalid where another key signed it', async () => {
    const { clock, get } = createTenant({ trustedIssuer: realm });
    const forged = await token(clock.now, GOOD, others.privateKey);
    expect((await get('/v1/assets', forged)).body.type).toMatch(/auth\/invalid-token$/);
  });
});

test('a token of an untrusted realm is invalid', async () => {
  const { clock, get } = createTenant();
  expect((await get('/v1/assets', await token(clock.now))).body.type).toMatch(/auth\/invalid-token$/);
});

test('a token is not called invalid when the keys of its realm cannot be loaded', async () => {
  const { clock, get } = createTenant({ trustedIssuer: 'http://127.0.0.1:9/realms/org' });
  const bearer = await token(clock.now, { ...GOOD, iss: 'http://127.0.0.1:9/realms/org' });
  expect((await get('/v1/assets', bearer)).status).toBe(500);
});
