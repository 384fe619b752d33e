import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DemoServer, type ServedDemo, startDemoServer } from '../../../local/demo/server.ts';
import type { DemoView } from '../../../local/demo/view.ts';

const done: string[] = [];

/** A demo that does nothing. */
const demo: ServedDemo = {
  view: { minute: 7 } as DemoView,
  listen: () => () => undefined,
  cause: name => void done.push(`cause ${name}`),
  repair: () => void done.push('repair'),
  minuteTakes: 1000,
};

let server: DemoServer;

beforeAll(async () => {
  server = await startDemoServer();
});

afterAll(() => server.close());

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends a request with any headers and target, because fetch sends no `Origin` and no malformed
 * target.
 */
function ask({ method = 'GET', path = '/', headers = {}, body = '' }: Asked) {
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }>(
    (resolve, reject) => {
      const sent = request(server.url, { path, method, headers }, async response => {
        resolve({ status: response.statusCode!, headers: response.headers, body: await text(response) });
      });
      sent.on('error', reject).end(body);
    },
  );
}

/** Sends a request that changes something, as the page does. */
function act(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const own = { 'content-type': 'application/json', 'x-demo-token': server.token, ...headers };
  return ask({ method: 'POST', path, headers: own, body: JSON.stringify(body) });
}

test('the page of the demo says that the demo has not started yet', async () => {
  expect(await ask({})).toMatchObject({ status: 503, body: expect.stringContaining('is starting') });
  server.show(demo);
  expect(await ask({ path: '/view' })).toMatchObject({ status: 200, body: JSON.stringify(demo.view) });
});

test.each(['/%2e%2e/demo.ts', '/runbook/../demo.ts', '/runbook/no-such-alarm'])(
  'the path %s is not served, because it is neither the page nor a section of the runbook',
  async path => {
    expect(await ask({ path })).toMatchObject({ status: 404 });
  },
);

test('a page of another origin can neither read nor change the demo, even with the token', async () => {
  const origin = 'https://evil.example';
  expect(await ask({ headers: { origin } })).toMatchObject({ status: 403 });
  expect(await act('/repair', {}, { origin })).toMatchObject({ status: 403 });
  expect(done).toEqual([]);
});

test('a request that changes the demo needs the token of this start', async () => {
  for (const token of ['', `${server.token}x`]) {
    expect(await act('/repair', {}, { 'x-demo-token': token })).toMatchObject({ status: 403 });
  }
  expect(done).toEqual([]);

  const origin = new URL(server.url).origin;
  expect(await act('/incident', { name: 'The API is down' }, { origin })).toMatchObject({ status: 204 });
  expect(await act('/repair', {})).toMatchObject({ status: 204 });
  expect(await act('/pace', { minuteTakes: 250 })).toMatchObject({ status: 204 });
  expect(done.splice(0)).toEqual(['cause The API is down', 'repair']);
  expect(demo.minuteTakes).toBe(250);
});

test.each<[string, Asked, number]>([
  ['an unknown incident', { path: '/incident', body: '{"name":"other"}' }, 400],
  ['an unknown action', { path: '/other', body: '{}' }, 404],
  ['a pace that is too fast', { path: '/pace', body: '{"minuteTakes":1}' }, 400],
  ['a malformed target', { path: '//' }, 400],
  ['a body that is not JSON', { path: '/repair', body: '{' }, 400],
  ['a body that is too large', { path: '/repair', body: ' '.repeat(5000) }, 413],
  ['another method', { method: 'PUT' }, 405],
])('a request to the demo is refused for %s', async (_, asked, status) => {
  const headers = { 'content-type': 'application/json', 'x-demo-token': server.token };
  expect(await ask({ method: 'POST', headers, ...asked })).toMatchObject({ status });
  expect(done).toEqual([]);
});

test('the page of the demo allows neither inline scripts nor other hosts', async () => {
  const { headers, body } = await ask({});
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(headers).not.toHaveProperty('access-control-allow-origin');
  expect(body).toContain(`content="${server.token}"`);
  expect(body).not.toMatch(/<script(?![^>]*src=)|\sstyle=|\son\w+=|https?:\/\//);
});

test('an alarm links to its section of the runbook', async () => {
  const { headers, body } = await ask({ path: '/runbook/stream-silent' });
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(body).toMatch(/^## stream-silent\n/);
  expect(body.match(/^## /gm)).toHaveLength(1);
});

test('the page of the demo gets the incidents and their causes from the server', async () => {
  const [alarming, harmless] = JSON.parse((await ask({ path: '/incidents' })).body);
  expect(alarming[0]).toEqual({ name: 'The API is down', caused: 'Every list answers 503' });
  expect(harmless).toHaveLength(4);
});

test('each new view of the demo is sent as an event until the browser disconnects', async () => {
  const listeners = new Set<(view: DemoView) => void>();
  const left = Promise.withResolvers<void>();
  const other = await startDemoServer();
  other.show({
    ...demo,
    listen(listener) {
      listeners.add(listener);
      return left.resolve;
    },
  });
  const aborted = new AbortController();
  const { body } = await fetch(new URL('events', other.url), { signal: aborted.signal });
  const parts = body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await parts.read()).value).toBe(`data: ${JSON.stringify(demo.view)}\n\n`);
  for (const listener of listeners) listener({ ...demo.view, minute: 8 });
  expect((await parts.read()).value).toContain('"minute":8');
  aborted.abort();
  await left.promise;
  await other.close();
});
