import { describe, expect, test } from '@jest/globals';
import { createTenant } from './tenant.ts';

describe('an invalid request to the API gets a problem document', () => {
  test.each<[string, number, string]>([
    ['/v1/assets?limit=1&limit=2', 400, 'request/repeated-parameter'],
    ['/v1/assets?organization_id=o', 400, 'request/unknown-parameter'],
    ['/v1/assets/%E0%A4%A', 400, 'request/malformed'],
    ['/v1/assets/unknown', 404, 'resource/not-found'],
    ['/v2/assets', 404, 'request/unknown-path'],
  ])('a request for %s is refused with %i and the problem type %s', async (target, status, suffix) => {
    const { get } = createTenant();
    const reply = await get(target);
    expect(reply).toMatchObject({ status, body: { type: expect.stringMatching(new RegExp(`/${suffix}$`)) } });
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
  });

  test('a request with a method other than GET is refused with 405 and changes no row', async () => {
    const { simulator, client } = createTenant();
    simulator.put('assets', { id: 'a' });
    const before = simulator.truth();
    const headers = { authorization: await client.bearer() };
    const response = await simulator.fetch(
      new Request('http://x/v1/assets/a', { method: 'POST', headers, body: '{}' }),
    );
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({ status: 405, allow: 'GET' });
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

test('a cursor is invalid at any other endpoint than its own', async () => {
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
  test('a fault affects its endpoint the given number of times, with its status, type and Retry-After', async () => {
    const { simulator, get } = createTenant();
    simulator.setFaults([
      { kind: 'status', endpoint: 'threats', status: 500, times: 1, retryAfter: '3', typeSuffix: 'server/oops' },
    ]);
    expect((await get('/v1/assets')).status).toBe(200);
    const { status, headers, body } = await get('/v1/threats');
    expect([status, headers.get('retry-after'), body.type]).toEqual([500, '3', expect.stringMatching(/server\/oops$/)]);
    expect((await get('/v1/threats')).status).toBe(200);
  });

  test.each([{ kind: 'flood' }, { kind: 'status', status: 99 }, { kind: 'status', endpoint: 'x' }])(
    'the value %p is refused, because it is not a fault',
    fault => {
      const { simulator } = createTenant();
      expect(() => simulator.setFaults([fault as never])).toThrow('A fault is a kind');
    },
  );
});

test('a call of the API simulator resolves within its turn, so that a simulation controls the order', async () => {
  const { get } = createTenant();
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  await get('/v1/assets');
  expect(turned).toBe(false);
});
