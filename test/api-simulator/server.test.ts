import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ProblemSuffix } from '../../local/api-simulator/problem.ts';
import { checkSender, type SimulatorServer, startSimulatorServer } from '../../local/api-simulator/server.ts';
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

test('the server of the API simulator listens only on 127.0.0.1, where it serves tokens and lists', async () => {
  expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await expect(fetch(server.baseUrl.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('fetch failed');
  const { body } = await client.get('/v1/assets?limit=2');
  expect(body).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }], pagination: { page_size: 2 } });
});

test.each(['../x', 'ü/日本'])('the id %s, which looks like a path, is read as a single id', async id => {
  expect((await client.get(`/v1/assets/${encodeURIComponent(id)}`)).body).toMatchObject({ id });
});

test.each([
  ['with a body', '{"org_id":"xyz"}', 400],
  ['with a body that is too large', 'x'.repeat(70_000), 413],
])('a GET request %s is refused', async (_, body, status) => {
  const headers = { authorization: await client.bearer(), 'content-length': body.length };
  // fetch would not send it.
  const sent = request(`${server.baseUrl}/v1/assets`, { method: 'GET', headers }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(status);
});

test('the fault reset breaks the connection before the answer, and the fault truncate within the body', async () => {
  simulator.setFaults([
    { kind: 'reset', endpoint: 'assets' },
    { kind: 'truncate', endpoint: 'threats' },
  ]);
  await expect(client.get('/v1/assets')).rejects.toThrow('fetch failed');
  await expect(client.get('/v1/threats')).rejects.toThrow('terminated');
  simulator.setFaults([]);
  expect((await client.get('/v1/assets')).status).toBe(200);
});

describe('a server for local programs', () => {
  const json = { host: '127.0.0.1:8', 'content-type': 'application/json' };
  const check = (method: string, headers: Record<string, string>) => () =>
    checkSender({ method, headers } as unknown as IncomingMessage, 'http://127.0.0.1:8');

  test.each<[string, string, Record<string, string>]>([
    ['a script', 'POST', json],
    ['a page of its own', 'POST', { ...json, origin: 'http://localhost:8', host: 'localhost:8' }],
    ['a read', 'GET', { host: '127.0.0.1:8' }],
  ])('a server for local programs serves %s', (_, method, headers) => {
    expect(check(method, headers)).not.toThrow();
  });

  test.each<[string, string, Record<string, string>, ProblemSuffix]>([
    ['a page of another origin', 'POST', { ...json, origin: 'https://evil.example' }, 'request/foreign-origin'],
    ['a read by a page of another origin', 'GET', { ...json, origin: 'null' }, 'request/foreign-origin'],
    [
      'a foreign host name that resolves to this machine',
      'POST',
      { ...json, host: 'evil.example:8' },
      'request/foreign-host',
    ],
    ['a form', 'POST', { ...json, 'content-type': 'text/plain' }, 'request/not-json'],
    ['a request without a content type', 'POST', { host: '127.0.0.1:8' }, 'request/not-json'],
  ])('a server for local programs refuses %s', (_, method, headers, suffix) => {
    expect(check(method, headers)).toThrow(expect.objectContaining({ suffix }));
  });
});
