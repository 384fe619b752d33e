import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type SimulatorServer, startSimulatorServer } from '../../local/api-simulator/server.ts';
import { ApiClient } from './api-client.ts';
import { createTenant } from './tenant.ts';

const { simulator, target } = createTenant();
let server: SimulatorServer;
let client: ApiClient;

beforeAll(async () => {
  for (const id of ['a', 'b', '../x', 'ü/日本']) simulator.put('assets', { id });
  server = await startSimulatorServer({ simulator });
  const { baseUrl, authUrl } = server;
  client = new ApiClient({ ...target, baseUrl, tokenUrl: `${authUrl}/protocol/openid-connect/token`, fetch });
});

afterAll(() => server.close());

test('the server listens on 127.0.0.1 alone, where it serves tokens and lists', async () => {
  expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await expect(fetch(server.baseUrl.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('fetch failed');
  const { body } = await client.get('/v1/assets?limit=2');
  expect(body).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }], pagination: { page_size: 2 } });
});

test.each(['../x', 'ü/日本'])('the id %s, which contains a path, is read as one id', async id => {
  expect((await client.get(`/v1/assets/${encodeURIComponent(id)}`)).body).toMatchObject({ id });
});

test.each([
  ['with a body', '{"org_id":"xyz"}', 400],
  ['with a body that is too large', 'x'.repeat(70_000), 413],
])('a GET %s is refused', async (_, body, status) => {
  const headers = { authorization: await client.bearer(), 'content-length': body.length };
  // fetch would not send it.
  const sent = request(`${server.baseUrl}/v1/assets`, { method: 'GET', headers }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(status);
});

test('a reset breaks the connection before the answer, a truncation within the body', async () => {
  simulator.setFaults([
    { kind: 'reset', endpoint: 'assets' },
    { kind: 'truncate', endpoint: 'threats' },
  ]);
  await expect(client.get('/v1/assets')).rejects.toThrow('fetch failed');
  await expect(client.get('/v1/threats')).rejects.toThrow('terminated');
  simulator.setFaults([]);
  expect((await client.get('/v1/assets')).status).toBe(200);
});

test('a port in use is an error', async () => {
  const port = Number(new URL(server.baseUrl).port);
  await expect(startSimulatorServer({ simulator, port })).rejects.toThrow('EADDRINUSE');
});
