import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRandom } from '../../local/api-simulator/random.ts';
import { type SimulatorServer, startSimulatorServer } from '../../local/api-simulator/server.ts';
import { type ApiSimulator, createSimulator } from '../../local/api-simulator/simulator.ts';
import { basic } from './tenant.ts';

let simulator: ApiSimulator;
let server: SimulatorServer;
const crashes: unknown[] = [];

beforeAll(async () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  simulator = createSimulator({ clock: () => now, random: createRandom(1), onError: error => crashes.push(error) });
  for (const id of ['a', 'b', '../x', 'ü/日本']) simulator.put('assets', { id });
  server = await startSimulatorServer({ simulator });
});

afterAll(() => server.close());

async function bearer(): Promise<string> {
  const { clientId, clientSecret } = simulator.account;
  const response = await fetch(`${server.authUrl}/protocol/openid-connect/token`, {
    method: 'POST',
    headers: { authorization: basic(clientId, clientSecret) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return `Bearer ${((await response.json()) as { access_token: string }).access_token}`;
}

/** Sends bytes as they are and reads until the API simulator closes the connection. */
async function raw(bytes: string | Uint8Array): Promise<string> {
  const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.end(bytes);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

const statusOf = (answer: string): number => Number(answer.split(' ')[1]);

test('the server listens on no other address of this machine', async () => {
  await expect(fetch(server.baseUrl.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('fetch failed');
});

test('the server listens on the loopback interface and serves tokens and lists', async () => {
  expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const response = await fetch(`${server.baseUrl}/v1/assets?limit=2`, { headers: { authorization: await bearer() } });
  expect(await response.json()).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }], pagination: { page_size: 2 } });
});

test('an id that contains a path is read as one id', async () => {
  for (const id of ['../x', 'ü/日本']) {
    const url = `${server.baseUrl}/v1/assets/${encodeURIComponent(id)}`;
    expect(await (await fetch(url, { headers: { authorization: await bearer() } })).json()).toMatchObject({ id });
  }
});

describe('an invalid request is answered with a problem document and a closed or usable connection', () => {
  const host = 'Host: x\r\nConnection: close\r\n';
  test.each<[string, string, number]>([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a header of 20 kB', `GET /v1/assets HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['two lengths', `POST /v1/assets HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`, 400],
    ['a body of 70 kB', `POST /v1/assets HTTP/1.1\r\n${host}Content-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`, 413],
  ])('%s', async (_, bytes, status) => {
    const answer = await raw(bytes);
    expect(statusOf(answer)).toBe(status);
    expect(answer).toContain('application/problem+json');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ status, type: expect.any(String) });
  });

  test('a GET with a body: 400', async () => {
    const authorization = await bearer();
    const answer = await raw(
      `GET /v1/assets HTTP/1.1\r\n${host}Authorization: ${authorization}\r\nContent-Length: 16\r\n\r\n{"org_id":"xyz"}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 400[\s\S]*request\/body-not-allowed/);
  });

  test('a request that is cut off causes no error, and the next one is served', async () => {
    await raw('GET /v1/ass');
    await raw('POST /v1/assets HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab');
    expect((await fetch(`${server.baseUrl}/v1/assets`)).status).toBe(401);
    expect(crashes).toEqual([]);
  });
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
