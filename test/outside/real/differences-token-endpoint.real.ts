/** The same requests to Keycloak's token endpoint and to the embedded API simulator's. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { type SimulatorServer, startSimulatorServer } from '../../../local/api-simulator/server.ts';
import { type ApiSimulator, createSimulator } from '../../../local/api-simulator/simulator.ts';
import { basic } from '../../api-simulator/api-client.ts';
import { CLIENT_ID, CLIENT_SECRET, createRealm, type Realm } from './support/realm.ts';

let realm: Realm;
let simulator: ApiSimulator;
let server: SimulatorServer;
beforeAll(async () => {
  realm = await createRealm();
  const credentials = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
  simulator = createSimulator({ clock: Date.now, random: createRandom(1), ...credentials });
  server = await startSimulatorServer({ simulator });
});
afterAll(async () => {
  await realm[Symbol.asyncDispose]();
  await server.close();
});

const GOOD = { authorization: basic(CLIENT_ID, CLIENT_SECRET), 'content-type': 'application/x-www-form-urlencoded' };
const GRANT = 'grant_type=client_credentials';
const raw = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
const form = (fields: Record<string, string>) => `${GRANT}&${new URLSearchParams(fields)}`;
const { authorization: _, ...ANONYMOUS } = GOOD;

interface Outcome {
  readonly status: number;
  readonly error?: string;
  readonly challenge: string | null;
  readonly expiresIn?: number;
  readonly type?: string;
}

async function ask(authUrl: string, headers: Record<string, string>, body: string | undefined): Promise<Outcome> {
  const method = body === undefined ? 'GET' : 'POST';
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const answer = await fetch(`${authUrl}/protocol/openid-connect/token`, init);
  const { error, expires_in: expiresIn, token_type: type } = (await answer.json()) as Record<string, never>;
  const { status } = answer;
  // For a method that is not allowed, OAuth defines only the status.
  return {
    status,
    challenge: answer.headers.get('www-authenticate'),
    // To ten seconds: Keycloak counts whole seconds from when it began to answer.
    ...(status === 405 ? {} : { error, expiresIn: expiresIn && Math.round(expiresIn / 10) * 10, type }),
  };
}

async function both(headers: Record<string, string>, body: string | undefined) {
  const [ours, theirs] = await Promise.all([server, realm].map(({ authUrl }) => ask(authUrl, headers, body)));
  return { embedded: ours!, keycloak: theirs! };
}

test.each<[string, Record<string, string>, string | undefined]>([
  ['good credentials, form-urlencoded', GOOD, GRANT],
  [
    'credentials that are percent-encoded in another way',
    { ...GOOD, authorization: raw(`${encodeURIComponent(CLIENT_ID)}:${encodeURIComponent(CLIENT_SECRET)}`) },
    GRANT,
  ],
  ['credentials without encoding', { ...GOOD, authorization: raw(`${CLIENT_ID}:${CLIENT_SECRET}`) }, GRANT],
  ['broken percent-encoding', { ...GOOD, authorization: raw('%zz:%') }, GRANT],
  ['a wrong secret', { ...GOOD, authorization: basic(CLIENT_ID, 'x') }, GRANT],
  ['an empty secret', { ...GOOD, authorization: basic(CLIENT_ID, '') }, GRANT],
  ['an unknown client', { ...GOOD, authorization: basic('nobody', 'x') }, GRANT],
  ['a request without a client', ANONYMOUS, GRANT],
  ['a header that is not base64', { ...GOOD, authorization: 'Basic ???' }, GRANT],
  ['a header without a colon', { ...GOOD, authorization: raw('abc') }, GRANT],
  ['another scheme', { ...GOOD, authorization: 'Bearer abc' }, GRANT],
  ['a request without a grant', GOOD, ''],
  ['an empty grant', GOOD, 'grant_type='],
  ['an unknown grant', GOOD, 'grant_type=banana'],
  ['an unknown grant of an unknown client', { ...GOOD, authorization: basic('nobody', 'x') }, 'grant_type=banana'],
  ['a wrong secret without a grant', { ...GOOD, authorization: basic(CLIENT_ID, 'x') }, ''],
  ['a grant twice', GOOD, `${GRANT}&${GRANT}`],
  ['any field twice', GOOD, `${GRANT}&a=1&a=2`],
  ['an unknown field', GOOD, `${GRANT}&a=1`],
  ['credentials in the form', ANONYMOUS, form({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET })],
  [
    'wrong credentials in the form and right credentials in the header',
    GOOD,
    form({ client_id: 'other', client_secret: 'x' }),
  ],
  ['another secret in the form', GOOD, form({ client_secret: 'x' })],
  ['another client in the form', GOOD, form({ client_id: 'other' })],
  ['a client in the form without a secret', ANONYMOUS, form({ client_id: CLIENT_ID })],
  [
    'right credentials in the form and wrong credentials in the header',
    { ...GOOD, authorization: basic(CLIENT_ID, 'x') },
    form({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET }),
  ],
  ['JSON', { ...GOOD, 'content-type': 'application/json' }, '{"grant_type":"client_credentials"}'],
  ['GET', GOOD, undefined],
])('the API simulator and Keycloak give the same answer to %s', async (_what, headers, body) => {
  const { embedded, keycloak: theirs } = await both(headers, body);
  expect(embedded).toEqual(theirs);
});

test('the API simulator and Keycloak refuse a disabled service account in the same way', async () => {
  await realm.enableServiceAccount(false);
  simulator.account.revoked = true;
  const { embedded, keycloak: theirs } = await both(GOOD, GRANT);
  simulator.account.revoked = false;
  await realm.enableServiceAccount(true);
  expect(theirs).toMatchObject({ status: 401, error: 'invalid_request' });
  expect(embedded).toEqual(theirs);
});
