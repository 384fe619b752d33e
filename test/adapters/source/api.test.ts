import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from '@jest/globals';
import { answerJson, answerProblem } from '../../../local/incidents/tampered-api.ts';
import { apiScene } from '../../support/function/api-scene.ts';
import {
  type Act,
  FINAL_ERRORS,
  failingFetch,
  httpHarness,
  reset,
  silence,
  truncated,
} from '../../support/function/http-harness.ts';
import { expectRejection, rejection, wordsOf } from '../../support/function/rejection.ts';

const BODY = '{"data":[],"pagination":{"next_cursor":null,"page_size":0}}';
const PAGE = answerJson(200, BODY);
/** Diagnostics channel on which Node's fetch reports the head of each request that it sends. */
const HEAD_SENT = 'undici:client:sendHeaders';

describe('a request for a page', () => {
  test.each([
    'a+b c',
    'x&cursor=evil&limit=1',
    '100%25%=?#/\\;:@',
    'ünï-ключ-鍵-🔑',
    'tab\tline\nfeed\u0000\u2028',
    'null',
    'long'.repeat(500),
  ])('a request contains the unchanged cursor %j and the limit', async cursor => {
    await using each = await apiScene([PAGE]);
    expect(await each.page({ cursor, limit: 7 })).toBe(BODY);
    const { target, headers, method } = each.server.seen[0]!;
    const { pathname, searchParams } = new URL(target, each.server.url);
    expect({ method, pathname }).toEqual({ method: 'GET', pathname: '/base/v1/assets' });
    expect(Object.fromEntries(searchParams)).toEqual({ cursor, limit: '7' });
    expect([...searchParams]).toHaveLength(2);
    expect(headers.authorization).toBe('Bearer canary-token-1');
  });

  test('the first request of a walk has no cursor', async () => {
    await using each = await apiScene([PAGE]);
    await each.page();
    expect(each.server.seen[0]!.target).toBe('/base/v1/assets?limit=500');
  });

  test('a request right after an answer is already sent when yieldToRequests resolves', async () => {
    await using each = await apiScene([PAGE]);
    await each.page();
    const left: string[] = [];
    const onHead = (message: unknown) => left.push((message as { request: { path: string } }).request.path);
    subscribe(HEAD_SENT, onHead);
    try {
      const second = each.page({ cursor: 'next' });
      await each.api.yieldToRequests!();
      expect(left).toEqual(['/base/v1/assets?limit=500&cursor=next']);
      await second;
    } finally {
      unsubscribe(HEAD_SENT, onHead);
    }
  });

  test('a request to the API stops at once, with the reason, when the run is over', async () => {
    await using each = await apiScene([answerJson(503, '')]);
    const signal = AbortSignal.abort(new Error('the lease is gone'));
    const page = each.api.page({ path: '/v1/assets', cursor: undefined, limit: 1, signal });
    expect((await rejection(page)).message).toBe('the lease is gone');
    expect(each.handed).toEqual([]);
    expect(each.server.seen).toEqual([]);
  });

  test.each([301, 307])(
    'a request does not follow a redirect (%i), so that the token stays with its host',
    async status => {
      await using other = await httpHarness(PAGE);
      await using each = await apiScene([answerJson(status, '', { location: `${other.url}/v1/assets` })]);
      expect(await rejection(each.page())).toMatchObject({ name: 'ApiRefusedError', status });
      expect(each.server.seen).toHaveLength(1);
      expect(other.seen).toEqual([]);
    },
  );

  test('the error about a token that is not valid in a header does not show the token', async () => {
    await using each = await apiScene([PAGE], { token: 'canary\nx-evil: 1' });
    expect(wordsOf(await rejection(each.page()))).not.toContain('canary');
  });
});

describe('the body of an answer', () => {
  const bound = 1_000;
  const endless: Act = response => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(500)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  const declared: Act = response => response.writeHead(200, { 'content-length': bound + 1 }).flushHeaders();

  test('the body of an answer is returned completely, but without its byte order mark', async () => {
    const body = '{ "n": 9007199254740993, "e": 1e400, "\\u0041": "\\ud83d", "k": "ключ🔑\u2028" }\r\n';
    await using each = await apiScene([response => response.writeHead(200).end(`\ufeff${body}`)]);
    expect(await each.page()).toBe(body);
  });

  test('an answer whose body has exactly the maximum size is read', async () => {
    await using each = await apiScene([answerJson(200, ' '.repeat(bound))], { maxBodyBytes: bound });
    expect(await each.page()).toHaveLength(bound);
  });

  test.each<[string, Act]>([
    ['one byte more than the limit', answerJson(200, ' '.repeat(bound + 1))],
    ['a declared length beyond the bound, which is not waited for', declared],
    ['no end', endless],
  ])('an answer whose body has %s causes a PageTooLargeError', async (_what, act) => {
    await using each = await apiScene([act], { maxBodyBytes: bound });
    expect(await rejection(each.page())).toMatchObject({ name: 'PageTooLargeError' });
    expect(each.server.seen).toHaveLength(1);
  });

  test('a page of one row may be twice as large as other pages, because no smaller page exists', async () => {
    for (const length of [2 * bound, 2 * bound + 1]) {
      await using each = await apiScene([answerJson(200, ' '.repeat(length))], { maxBodyBytes: bound });
      const outcomes = [each.page({ limit: 1 }), each.api.single({ path: '/v1/assets', id: 'a' })];
      for (const outcome of outcomes) {
        if (length === 2 * bound) expect(await outcome).toHaveLength(length);
        else expect((await rejection(outcome)).message).toContain('exceeds 2000 bytes');
      }
    }
  });

  test('a page shorter than its Content-Length is requested again, even when the connection ends cleanly', async () => {
    const declaring = (length: number) => new Response(BODY, { headers: { 'content-length': String(length) } });
    const answers = [declaring(BODY.length + 1), declaring(BODY.length)];
    await using each = await apiScene([], { fetch: async () => answers.shift()! });
    expect(await each.page()).toBe(BODY);
    expect(answers).toEqual([]);
  });

  test('a compressed page may be shorter than its Content-Length, which counts the compressed bytes', async () => {
    const headers = { 'content-length': String(BODY.length + 20), 'content-encoding': 'gzip' };
    await using each = await apiScene([], { fetch: async () => new Response(BODY, { headers }) });
    expect(await each.page()).toBe(BODY);
  });

  test('a page with invalid UTF-8 in a row is passed on, because its other rows must be sent', async () => {
    const bytes = Buffer.from([0x22, 0xc3, 0x28, 0x22]);
    await using each = await apiScene([response => response.writeHead(200).end(bytes)]);
    const { signal } = new AbortController();
    const page = await each.api.page({ path: '/v1/assets', cursor: undefined, limit: 500, signal });
    expect(Buffer.from(page)).toEqual(bytes);
    expect((await rejection(each.api.single({ path: '/v1/assets', id: 'a' }))).message).toContain('not UTF-8');
  });
});

describe('a 401', () => {
  test.each([
    answerProblem(401, 'auth/expired-token'),
    answerProblem(401, 'auth/missing-token'),
    answerJson(401, 'not JSON'),
  ])('a request refused with 401 is repeated once, at once, with a new token (case %#)', async act => {
    await using each = await apiScene([act, PAGE]);
    expect(await each.page()).toBe(BODY);
    expect(each.handed).toEqual(['canary-token-1', 'canary-token-2']);
    expect(each.clock.pauses).toEqual([]);
  });

  test('a request that is refused with 401 a second time causes a CredentialsError', async () => {
    await using each = await apiScene([answerProblem(401, 'auth/invalid-token')]);
    await expectRejection(each.page(), 'CredentialsError', 'auth/invalid-token');
    expect(each.server.seen).toHaveLength(2);
  });
});

describe('a refusal', () => {
  test.each<[number, string, string, RegExp]>([
    [401, 'auth/revoked-account', 'AccountRevokedError', /auth\/revoked-account/],
    [403, 'auth/insufficient-role', 'RoleMissingError', /\/v1\/assets/],
    [403, 'auth/other', 'ApiRefusedError', /403/],
    [400, 'auth/insufficient-role', 'ApiRefusedError', /400.*\/v1\/assets.*auth\/insufficient-role/],
    [400, 'canary/row', 'ApiRefusedError', /400.*\/v1\/assets.*without a known problem type/],
    [404, 'some/type', 'ApiRefusedError', /404/],
    [501, 'some/type', 'ApiRefusedError', /501/],
  ])('a request refused with %i %s is not retried, but causes the error %s', async (status, type, name, message) => {
    await using each = await apiScene([answerProblem(status, type, 'canary')]);
    const error = await rejection(each.page());
    expect(error.name).toBe(name);
    expect(error.message).toMatch(message);
    expect(wordsOf(error)).not.toContain('canary');
    expect(each.server.seen).toHaveLength(1);
    expect(each.discarded).toEqual([]);
  });

  test.each([
    ['urn:problem:request/invalid-cursor', 'CursorRefusedError'],
    ['sde-request/invalid-cursor', 'CursorRefusedError'],
    ['request/invalid-cursor', 'CursorRefusedError'],
    [`https://problems.example/${'x'.repeat(2_000)}/request/invalid-cursor`, 'CursorRefusedError'],
    ['request/invalid-cursors', 'ApiRefusedError'],
    ['invalid-cursor', 'ApiRefusedError'],
    ['x\nrequest/invalid-cursor', 'ApiRefusedError'],
    [`${'x'.repeat(2_048)}/request/invalid-cursor`, 'ApiRefusedError'],
  ])(
    'a refusal means a refused cursor only if its valid type ends in request/invalid-cursor (case %#)',
    async (type, name) => {
      await using each = await apiScene([answerJson(400, { type })]);
      expect((await rejection(each.page())).name).toBe(name);
    },
  );

  test.each([
    [400, 'auth'],
    [401, 'auth/invalid-token'],
    [403, 'auth/insufficient-role'],
    [429, 'auth'],
    [500, 'auth'],
  ])(
    'a refusal (%i %s) that echoes the request is reported without any text of the request',
    async (status, suffix) => {
      const echo: Act = (response, { headers, target }) => {
        const request = `${headers.authorization} ${target}`;
        response.writeHead(status, request, { 'x-echo': request, 'content-type': 'application/problem+json' });
        const words = { [request]: request, type: `urn:${request}/${suffix}`, title: request, detail: request, status };
        response.end(JSON.stringify(words));
      };
      await using each = await apiScene([echo]);
      const words = wordsOf(await rejection(each.page({ cursor: 'canary-cursor' })));
      expect(words).not.toContain('canary');
      expect(words).toContain(String(status));
    },
  );
});

describe('a repeated request', () => {
  test.each<[string, Act]>([
    ['503', answerJson(503, '')],
    ['408', answerJson(408, '')],
    ['429', answerProblem(429, 'limits/rate-exceeded')],
    ['a reset', reset],
    ['a truncated body', truncated('{"canary":"canary"}'.repeat(50))],
  ])('a request is repeated unchanged after %s', async (_what, stumble) => {
    await using each = await apiScene([stumble, stumble, PAGE]);
    expect(await each.page({ cursor: 'c+1' })).toBe(BODY);
    const targets = each.server.seen.map(request => request.target);
    expect(targets).toEqual(Array(3).fill('/base/v1/assets?limit=500&cursor=c%2B1'));
    expect(each.clock.pauses).toEqual([50, 100]);
  });

  test.each([...FINAL_ERRORS, 'ECONNREFUSED'])(
    'a connection that fails with %s is reported by its code, but retried only after ECONNREFUSED',
    async code => {
      const { fetch, begun } = failingFetch(code, code === 'bad port' ? undefined : code);
      await using each = await apiScene([PAGE], { fetch });
      const name = /CERT|SIGN/.test(code) ? 'CertificateError' : 'ApiUnavailableError';
      await expectRejection(each.page(), name, `(${code})`);
      expect(begun()).toBe(code === 'ECONNREFUSED' ? 8 : 1);
    },
  );

  test.each([429, 503])('the wait after an answer %i is its Retry-After plus a short random time', async status => {
    const busy = answerJson(status, '', { 'retry-after': '45' });
    await using each = await apiScene([busy, PAGE]);
    await each.page();
    expect(each.clock.pauses).toEqual([45_050]);
  });

  test('a request that only gets 429 is repeated until the time budget ends', async () => {
    await using each = await apiScene([answerJson(429, '')], { budget: 600_000 });
    await expectRejection(each.page(), 'OutOfTimeError', 'before the API asks to be called again (429)');
    expect(each.server.seen.length).toBeGreaterThan(8);
  });
});

describe('a time-out', () => {
  const partly: Act = response => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"half"');
  };

  test.each([
    ['of an answer that does not begin', silence],
    ['of a body that does not end', partly],
  ])('a time-out %s is retried once and then reported, so that the walk requests fewer rows', async (_what, act) => {
    await using each = await apiScene([act]);
    const page = rejection(each.page());
    for (const count of [1, 2]) {
      await each.server.arrived(count);
      each.clock.advance(30_000);
    }
    const error = await page;
    expect(error.name).toBe('PageTimeoutError');
    expect(error.message).toContain('30000 ms');
    expect(each.server.seen).toHaveLength(2);
  });

  test.each([
    ['that the end of the run has shortened causes an OutOfTimeError', 12_000, 'OutOfTimeError'],
    ['with no time left for another try causes an ApiUnavailableError', 30_000, 'ApiUnavailableError'],
  ])('a time-out of a page %s', async (_what, budget, name) => {
    await using each = await apiScene([partly], { budget });
    const page = rejection(each.page());
    await each.server.arrived(1);
    each.clock.advance(budget);
    expect((await page).name).toBe(name);
    expect(each.server.seen).toHaveLength(1);
  });

  test('a refusal whose body times out is still reported with its status', async () => {
    await using each = await apiScene([response => response.writeHead(403).write('{"type":')]);
    const page = rejection(each.page());
    await each.begun(1);
    each.clock.advance(30_000);
    expect((await page).message).toContain('403');
  });
});
