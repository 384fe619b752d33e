import { describe, expect, test } from '@jest/globals';
import { createSimulator, type SimulatorOptions } from '../../local/api-simulator/simulator.ts';
import { createTenant } from './tenant.ts';

describe('an invalid request to the API gets a problem document', () => {
  test.each<[string, number, string]>([
    ['/v1/assets?limit=1.5', 400, 'request/invalid-limit'],
    ['/v1/assets?limit=1&limit=2', 400, 'request/repeated-parameter'],
    ['/v1/assets?organization_id=o', 400, 'request/unknown-parameter'],
    ['/v1/assets/x/related?limit=1', 400, 'request/unknown-parameter'],
    ['/v1/assets?cursor=%zz', 400, 'request/malformed'],
    ['/v1/assets/%E0%A4%A', 400, 'request/malformed'],
    ['/v1/assets/unknown', 404, 'resource/not-found'],
    ['/v1/threats/x/related', 404, 'request/unknown-path'],
    ['/v2/assets', 404, 'request/unknown-path'],
  ])('%s: %i %s', async (target, status, suffix) => {
    const { get } = createTenant();
    const reply = await get(target);
    expect(reply).toMatchObject({ status, body: { type: expect.stringMatching(new RegExp(`/${suffix}$`)) } });
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
  });

  test.each(['POST', 'DELETE'])('the method %s is refused with 405 without a change', async method => {
    const { simulator, client } = createTenant();
    simulator.put('assets', { id: 'a' });
    const before = simulator.truth();
    const headers = { authorization: await client.bearer() };
    const response = await simulator.fetch(new Request('http://x/v1/assets/a', { method, headers, body: '{}' }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    expect(simulator.truth()).toEqual(before);
  });
});

test('a cursor never expires, although it contains characters that a URL must encode', async () => {
  const { simulator, clock, page, ids } = createTenant();
  for (const id of ['a', 'b', 'c']) simulator.put('assets', { id });
  const { nextCursor } = await page('assets', { limit: 1 });
  expect(nextCursor).toMatch(/&.*=/);
  clock.now += 10 * 365 * 86_400_000;
  expect(await ids('assets', { cursor: nextCursor })).toEqual(['b', 'c']);
});

test('a cursor is invalid at another endpoint', async () => {
  const { simulator, get, page } = createTenant();
  for (const id of ['a', 'b']) simulator.put('assets', { id });
  const { nextCursor } = await page('assets', { limit: 1 });
  expect((await get(`/v1/threats?cursor=${encodeURIComponent(nextCursor!)}`)).body.type).toMatch(/invalid-cursor$/);
});

test('the latency and the delays of the API simulator use the given sleep function', async () => {
  const waits: number[] = [];
  const sleep = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
  const { simulator, get } = createTenant({ latencyMs: 40, sleep });
  simulator.setFaults([{ kind: 'delay', endpoint: 'assets', delayMs: 500, times: 1 }]);
  await get('/v1/assets', null);
  await get('/v1/assets', null);
  expect(waits).toEqual([540, 40]);
});

describe('faults', () => {
  test('faults affect the given endpoint the given number of times, with status, type and Retry-After', async () => {
    const { simulator, get } = createTenant();
    simulator.setFaults([
      { kind: 'status', endpoint: 'threats', status: 500, times: 1, retryAfter: '3', typeSuffix: 'server/oops' },
    ]);
    expect((await get('/v1/assets')).status).toBe(200);
    const { status, headers, body } = await get('/v1/threats');
    expect([status, headers.get('retry-after'), body.type]).toEqual([500, '3', expect.stringMatching(/server\/oops$/)]);
    expect((await get('/v1/threats')).status).toBe(200);
  });

  test('the fault reset breaks the connection before the answer, and truncate breaks it within the answer', async () => {
    const { simulator } = createTenant();
    const call = (): Promise<Response> => simulator.fetch(new Request('http://x/v1/assets'));
    simulator.setFaults([{ kind: 'reset' }]);
    await expect(call()).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } });
    simulator.setFaults([{ kind: 'truncate' }]);
    await expect((await call()).text()).rejects.toThrow('terminated');
  });

  test('faults occur with their probability, in the same way in each run', async () => {
    const statuses = async (): Promise<number[]> => {
      const { simulator, get } = createTenant();
      simulator.setFaults([{ kind: 'status', probability: 0.5, endpoint: 'assets' }]);
      const result: number[] = [];
      for (let call = 0; call < 30; call++) result.push((await get('/v1/assets')).status);
      return result;
    };
    const first = await statuses();
    expect(new Set(first)).toEqual(new Set([200, 503]));
    expect(await statuses()).toEqual(first);
  });

  test.each([
    {},
    { kind: 'flood' },
    { kind: 'status', status: 99 },
    { kind: 'reset', probability: 2 },
    { kind: 'status', endpoint: 'x' },
    null,
  ])('the value %p is refused, because it is not a fault', fault => {
    const { simulator } = createTenant();
    expect(() => simulator.setFaults([fault as never])).toThrow('A fault is a kind');
  });
});

test.each<[Partial<SimulatorOptions>, string]>([
  [{ rowsMember: 'x', paginationMember: 'x' }, 'must differ'],
  [{ dnsBlocksPath: 'v1/dns' }, 'must be a path of the DNS block list, for example /v1/dns-blocks'],
  [{ threatAssetMember: 'id' }, 'another meaning'],
  [{ emptyPages: 1 }, 'emptyPages must be a number from 0 to 0.99'],
  [{ tieSize: 0, withholdMs: -1 }, 'withholdMs must be a number from 0'],
])('invalid settings are refused: %p', (settings, message) => {
  expect(() => createSimulator({ clock: () => 0, random: () => 0, ...settings })).toThrow(message);
});

test('a call resolves within its turn, so that a simulation controls the order of events', async () => {
  const { get } = createTenant();
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  await get('/v1/assets');
  expect(turned).toBe(false);
});
