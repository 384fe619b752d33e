import { describe, expect, test } from '@jest/globals';
import { ApiUnavailableError, OutOfTimeError, PageTimeoutError } from '../../../lambda/core/errors.ts';
import { json, problem } from '../../../local/incidents/tampered-api.ts';
import { apiScene } from '../../support/function/api-scene.ts';
import {
  type Act,
  FINAL_ERRORS,
  failingFetch,
  reset,
  silence,
  truncated,
} from '../../support/function/http-harness.ts';
import { rejection, wordsOf } from '../../support/function/rejection.ts';

const PAGE = json(200, '{"page":1}');

const STUMBLES: readonly (readonly [string, Act])[] = [
  ['500', problem(500, 'server/error')],
  ['502 of a proxy', json(502, '<html>')],
  ['503', json(503, '')],
  ['504', json(504, '')],
  ['408', json(408, '')],
  ['a reset', reset],
  ['a truncated body', truncated('{"canary":"canary"}'.repeat(50))],
];

describe('the same request is made again', () => {
  test.each([...STUMBLES, ['429', problem(429, 'limits/rate-exceeded')] as const])(
    'a request is made again after %s',
    async (_what, stumble) => {
      await using each = await apiScene([stumble, stumble, PAGE]);
      expect(await each.page({ cursor: 'c+1' })).toBe('{"page":1}');
      expect(new Set(each.server.seen.map(request => request.target))).toEqual(
        new Set(['/base/v1/assets?limit=500&cursor=c%2B1']),
      );
      expect(each.clock.pauses).toEqual([50, 100]);
    },
  );

  test.each(STUMBLES)(
    'a request is given up after eight tries that end with %s, and the error shows nothing of the answers',
    async (_what, stumble) => {
      await using each = await apiScene([stumble]);
      const error = await rejection(each.page());
      expect(error).toBeInstanceOf(ApiUnavailableError);
      expect(error.message).toContain('/v1/assets');
      expect(each.server.seen).toHaveLength(8);
      expect(wordsOf(error)).not.toContain('canary');
    },
  );
});

describe('a connection that cannot come about', () => {
  test.each(FINAL_ERRORS)('%s is reported at once by its code, and the request is not repeated', async code => {
    const { fetch, begun } = failingFetch(code, code === 'bad port' ? undefined : code);
    await using each = await apiScene([PAGE], { fetch });
    const error = await rejection(each.page());
    expect(error).toBeInstanceOf(ApiUnavailableError);
    expect(error.message).toContain(`(${code})`);
    expect(begun()).toBe(1);
  });
});

describe('Retry-After', () => {
  test.each([
    ['in seconds', () => '45'],
    ['as a date', (now: number) => new Date(now + 45_000).toUTCString()],
  ])('a Retry-After %s is honoured on 429 and 503, with a little jitter added', async (_form, header) => {
    for (const status of [429, 503]) {
      const busy: Act = (response, request) =>
        json(status, '', { 'retry-after': header(each.clock.now()) })(response, request);
      await using each = await apiScene([busy, PAGE]);
      expect(await each.page()).toBe('{"page":1}');
      expect(each.clock.pauses).toEqual([45_050]);
    }
  });

  test.each([
    ['a RateLimit-Reset in seconds since 1970', (now: number) => ({ 'ratelimit-reset': String(now / 1000 + 30) })],
    ['a RateLimit-Reset in milliseconds since 1970', (now: number) => ({ 'ratelimit-reset': String(now + 30_000) })],
    ['a Retry-After of decades', (now: number) => ({ 'retry-after': new Date(now * 2).toUTCString() })],
  ])('429 with %s does not end the stream: the request is made again after the backoff', async (_what, headers) => {
    const busy: Act = (response, request) => json(429, '', headers(each.clock.now()))(response, request);
    await using each = await apiScene([busy, busy, PAGE]);
    expect(await each.page()).toBe('{"page":1}');
    expect(each.clock.pauses).toEqual([50, 100]);
  });

  test.each([
    ['with a Retry-After', { 'retry-after': '1' }],
    ['without a time', {}],
  ])('429 %s is waited out within the time budget, beyond eight tries', async (_what, headers) => {
    await using each = await apiScene([...Array<Act>(20).fill(json(429, '', headers)), PAGE]);
    expect(await each.page()).toBe('{"page":1}');
    expect(each.server.seen).toHaveLength(21);
  });

  test('429 for ever ends with the time budget, and says that the API asks to be called later', async () => {
    await using each = await apiScene([json(429, '')], { budget: 600_000 });
    const error = await rejection(each.page());
    expect(error).toBeInstanceOf(OutOfTimeError);
    expect(error.message).toContain('before the API asks to be called again (429)');
    expect(Math.max(...each.clock.pauses)).toBeLessThanOrEqual(20_000);
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
  ])('a time-out %s is retried once, then reported so that the walk requests fewer rows', async (_what, act) => {
    await using each = await apiScene([act]);
    const page = rejection(each.page());
    for (const count of [1, 2]) {
      await each.server.arrived(count);
      each.clock.advance(30_000);
    }
    const error = await page;
    expect(error).toBeInstanceOf(PageTimeoutError);
    expect(error.message).toContain('30000 ms');
    expect(each.server.seen).toHaveLength(2);
  });

  test('a time-out is never longer than the time left, and a page cut off by the end of the run has not failed', async () => {
    await using each = await apiScene([partly], { budget: 12_000 });
    const page = rejection(each.page());
    await each.server.arrived(1);
    each.clock.advance(12_000);
    const error = await page;
    expect(error).toBeInstanceOf(OutOfTimeError);
    expect(error.message).toContain('/v1/assets');
    expect(each.server.seen).toHaveLength(1);
  });

  test('a time-out of the body of a refusal leaves the status to be reported', async () => {
    const drip: Act = response => response.writeHead(403).write('{"type":');
    await using each = await apiScene([drip]);
    const page = rejection(each.page());
    await each.begun(1);
    each.clock.advance(30_000);
    expect((await page).message).toContain('403');
  });

  test('a time-out with no time left to try again is reported as an unavailable API', async () => {
    await using each = await apiScene([silence], { budget: 30_000 });
    const page = rejection(each.page());
    await each.server.arrived(1);
    each.clock.advance(30_000);
    expect(await page).toBeInstanceOf(ApiUnavailableError);
  });
});
