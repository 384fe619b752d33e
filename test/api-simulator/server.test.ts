import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRandom } from '../../local/api-simulator/random.ts';
import { type SimulatorServer, startSimulatorServer } from '../../local/api-simulator/server.ts';
import { type ApiSimulator, createSimulator } from '../../local/api-simulator/simulator.ts';
import { basic } from './tenant.ts';

let simulator: ApiSimulator;
let server: SimulatorServer;
let headers: { authorization: string };

beforeAll(async () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  simulator = createSimulator({ clock: () => now, random: createRandom(1) });
  for (const id of ['a', 'b', '../x', 'ü/日本']) simulator.put('assets', { id });
  server = await startSimulatorServer({ simulator });

  const { clientId, clientSecret } = simulator.account;
  const response = await fetch(`${server.authUrl}/protocol/openid-connect/token`, {
    method: 'POST',
    headers: { authorization: basic(clientId, clientSecret) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  headers = { authorization: `Bearer ${((await response.json()) as { access_token: string }).access_token}` };
});

afterAll(() => server.close());

/** A GET with a body, which fetch would not send. */
async function getWithBody(body: string): Promise<number | undefined> {
  const sent = request(`${server.baseUrl}/v1/assets`, {
    method: 'GET',
    headers: { ...headers, 'content-length': body.length },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test('the server listens on 127.0.0.1 alone, and serves tokens and lists', async () => {
  expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await expect(fetch(server.baseUrl.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('fetch failed');
  const response = await fetch(`${server.baseUrl}/v1/assets?limit=2`, { headers });
  expect(await response.json()).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }], pagination: { page_size: 2 } });
});

test.each(['../x', 'ü/日本'])('the id %s, which contains a path, is read as one id', async id => {
  const url = `${server.baseUrl}/v1/assets/${encodeURIComponent(id)}`;
  expect(await (await fetch(url, { headers })).json()).toMatchObject({ id });
});

test('a GET with a body is refused with 400, and with 413 if the body is too large', async () => {
  expect(await getWithBody('{"org_id":"xyz"}')).toBe(400);
  expect(await getWithBody('x'.repeat(70_000))).toBe(413);
});

test('a reset breaks the connection, and a truncation ends the body too early', async () => {
  simulator.setFaults([
    { kind: 'reset', endpoint: 'assets' },
    { kind: 'truncate', endpoint: 'threats' },
  ]);
  await expect(fetch(`${server.baseUrl}/v1/assets`)).rejects.toThrow('fetch failed');
  const response = await fetch(`${server.baseUrl}/v1/threats`);
  await expect(response.text()).rejects.toThrow('terminated');
  simulator.setFaults([]);
  expect((await fetch(`${server.baseUrl}/v1/assets`)).status).toBe(401);
});

test('a port in use is an error', async () => {
  const port = Number(new URL(server.baseUrl).port);
  await expect(startSimulatorServer({ simulator, port })).rejects.toThrow('EADDRINUSE');
});
