import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, ContractError, PageTooLargeError } from '../../../lambda/core/errors.ts';
import { json } from '../../../local/incidents/tampered-api.ts';
import { apiScene } from '../../support/function/api-scene.ts';
import { type Act, httpHarness } from '../../support/function/http-harness.ts';
import { rejection, wordsOf } from '../../support/function/rejection.ts';

const BODY = '{"data":[],"pagination":{"next_cursor":null,"page_size":0}}';
/** What Node's fetch publishes of itself. */
const HEAD_SENT = 'undici:client:sendHeaders';
const CURSORS = [
  'plain',
  'a+b c',
  'x&cursor=evil&limit=1',
  '100%25%',
  '=?#/\\;:@',
  '"quotes" and \'more\'',
  'ünï-ключ-鍵-🔑',
  'tab\tline\nfeed\u0000\u2028',
  'null',
  `${'long'.repeat(500)}`,
];

describe('a request for a page', () => {
  test.each(CURSORS)('a request carries the cursor %j unchanged, and the limit', async cursor => {
    await using each = await apiScene([json(200, BODY)]);
    expect(await each.page({ cursor, limit: 7 })).toBe(BODY);
    const { target, headers, method } = each.server.seen[0]!;
    const { pathname, searchParams } = new URL(target, each.server.url);
    expect({ method, pathname }).toEqual({ method: 'GET', pathname: '/base/v1/assets' });
    expect([...searchParams]).toEqual(
      expect.arrayContaining([
        ['cursor', cursor],
        ['limit', '7'],
      ]),
    );
    expect([...searchParams]).toHaveLength(2);
    expect(headers.authorization).toBe('Bearer canary-token-1');
  });

  test('a request without a cursor sends none, and reads from the beginning', async () => {
    await using each = await apiScene([json(200, BODY)]);
    await each.page();
    expect(each.server.seen[0]!.target).toBe('/base/v1/assets?limit=500');
  });

  test('the body of an answer is returned to the last character', async () => {
    const body =
      '{ "n": 9007199254740993, "f": 1.0, "e": 1e400, "z": -0, "\\u0041": "\\ud83d", "k": "ключ🔑\u2028" }\r\n';
    await using each = await apiScene([json(200, body)]);
    expect(await each.page()).toBe(body);
  });

  test('a request that follows an answer at once has left after the source was yielded to', async () => {
    await using each = await apiScene([json(200, BODY), json(200, BODY)]);
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

  test('a request stops at once when the run is over, with the reason', async () => {
    await using each = await apiScene([json(503, '')]);
    const over = new AbortController();
    over.abort(new Error('the lease is gone'));
    const page = each.api.page({ path: '/v1/assets', cursor: undefined, limit: 1, signal: over.signal });
    expect((await rejection(page)).message).toBe('the lease is gone');
    expect(each.handed).toEqual([]);
    expect(each.server.seen).toHaveLength(0);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is an error, and the bearer token never reaches another host',
    async status => {
      await using other = await httpHarness(json(200, BODY));
      await using each = await apiScene([json(status, '', { location: `${other.url}/v1/assets` })]);
      const error = await rejection(each.page());
      expect(error).toBeInstanceOf(ApiRefusedError);
      expect(error.message).toContain(String(status));
      expect([each.server.seen.length, other.seen.length]).toEqual([1, 0]);
    },
  );
});

describe('a body', () => {
  const bound = 1_000;

  test.each([
    ['up to', 'read'],
    ['beyond', 'refused'],
  ])('a body with a content-length %s the bound is %s', async where => {
    const body = ' '.repeat(where === 'beyond' ? bound + 1 : bound);
    await using each = await apiScene([json(200, body, { 'content-length': String(body.length) })], {
      maxBodyBytes: bound,
    });
    const outcome = await each.page().catch((error: unknown) => error);
    if (where === 'up to') expect(outcome).toBe(body);
    else expect(outcome).toBeInstanceOf(PageTooLargeError);
    expect(each.server.seen).toHaveLength(1);
  });

  test('a body of a single row may be twice as large, because no smaller page can be requested', async () => {
    for (const length of [2 * bound, 2 * bound + 1]) {
      await using each = await apiScene([json(200, ' '.repeat(length))], { maxBodyBytes: bound });
      const outcomes = [each.page({ limit: 1 }), each.api.single({ path: '/v1/assets', id: 'a' })];
      for (const outcome of outcomes) {
        if (length === 2 * bound) expect(await outcome).toHaveLength(length);
        else expect((await rejection(outcome)).message).toContain('exceeds 2000 bytes');
      }
    }
  });

  test('a body declared beyond the bound is not waited for', async () => {
    const promise: Act = response => response.writeHead(200, { 'content-length': bound + 1 }).flushHeaders();
    await using each = await apiScene([promise], { maxBodyBytes: bound });
    expect(await rejection(each.page())).toBeInstanceOf(PageTooLargeError);
  });

  test('a body in chunks without end is cut off at the bound', async () => {
    const endless: Act = response => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(500)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    await using each = await apiScene([endless], { maxBodyBytes: bound });
    expect(await rejection(each.page())).toBeInstanceOf(PageTooLargeError);
    expect(each.server.seen).toHaveLength(1);
  });

  test('a body truncated before its declared length is requested again, even when the connection ends cleanly', async () => {
    const declaring = (length: number) => new Response(BODY, { headers: { 'content-length': String(length) } });
    const answers = [declaring(BODY.length + 1), declaring(BODY.length)];
    await using each = await apiScene([], { fetch: async () => answers.shift()! });
    expect(await each.page()).toBe(BODY);
    expect([answers, each.clock.pauses]).toEqual([[], [50]]);
  });

  test('a body that begins with a byte order mark is read without it, because JSON has none', async () => {
    await using each = await apiScene([response => response.writeHead(200).end(`\ufeff${BODY}`)]);
    expect(await each.page()).toBe(BODY);
  });

  test('an encoded body may be shorter than its declared length, which counts the encoded bytes', async () => {
    const headers = { 'content-length': String(BODY.length + 20), 'content-encoding': 'gzip' };
    await using each = await apiScene([], { fetch: async () => new Response(BODY, { headers }) });
    expect(await each.page()).toBe(BODY);
  });

  test('a page that is not UTF-8 is passed on as it came, because its other rows are to be sent', async () => {
    const bytes = Buffer.from([0x22, 0xc3, 0x28, 0x22]);
    await using each = await apiScene([response => response.writeHead(200).end(bytes)]);
    const { signal } = new AbortController();
    const body = await each.api.page({ path: '/v1/assets', cursor: undefined, limit: 500, signal });
    expect(Buffer.from(body)).toEqual(bytes);
  });

  test.each([
    ['a broken sequence', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['half a character at the end', Buffer.from('"ü').subarray(0, 2)],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])(
    'a single read that is not UTF-8 (%s) is an error that says so, never a replacement character',
    async (_what, bytes) => {
      await using each = await apiScene([response => response.writeHead(200).end(bytes)]);
      const error = await rejection(each.api.single({ path: '/v1/assets', id: 'a' }));
      expect(error).toBeInstanceOf(ContractError);
      expect(error.message).toContain('not UTF-8');
      expect(each.server.seen).toHaveLength(1);
    },
  );
});

describe('tokens in errors', () => {
  test.each(['canary\ttöken-€', 'canary\nx-evil: 1', 'canary-🔑'])(
    'a token that does not fit a header (%j) does not appear in the error',
    async token => {
      await using each = await apiScene([json(200, BODY)], { token });
      expect(wordsOf(await rejection(each.page()))).not.toContain('canary');
    },
  );
});
