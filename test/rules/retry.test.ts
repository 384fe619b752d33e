import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backoff, isRetryable, type RetryPolicy, retry, retryAfter, TryAgain } from '../../lambda/core/retry.ts';
import { steppedClock } from '../support/function/stepped-clock.ts';

const NOW = Date.parse('2026-11-20T09:15:00Z');
const never = () => 0;
const almostOne = () => 0.999999;

describe('backoff', () => {
  test('the backoff with full jitter is between zero and twice the limit of the previous attempt', () => {
    expect([1, 2, 3].map(attempt => backoff(attempt, never))).toEqual([0, 0, 0]);
    expect([1, 2, 3, 4].map(attempt => Math.round(backoff(attempt, almostOne)))).toEqual([200, 400, 800, 1600]);
  });

  test('the backoff is never longer than twenty seconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, at) => {
          const delay = backoff(attempt, () => at);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThan(20_000);
        },
      ),
    );
  });
});

test.each([408, 425, 429, 500, 502, 503, 504, 599])('a request that gets the status %i is retried', status => {
  expect(isRetryable(status)).toBe(true);
});

test.each([301, 400, 401, 403, 404, 409, 410, 422, 501, 505])(
  'a request that gets the status %i is not retried',
  status => {
    expect(isRetryable(status)).toBe(false);
  },
);

test.each<[string | null, number | undefined]>([
  ['0', 0],
  ['7', 7000],
  [' 7 ', 7000],
  ['Fri, 20 Nov 2026 09:15:30 GMT', 30_000],
  ['Friday, 20-Nov-26 09:15:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 09:14:00 GMT', 0],
  [null, undefined],
  ['', undefined],
  ['  ', undefined],
  ['-1', undefined],
  ['2.5', 2500],
  ['.5', undefined],
  ['1e3', undefined],
  ['soon', undefined],
  ['2026-11-20T09:15:30Z', undefined],
])('the wait that Retry-After %j asks for, in milliseconds, is %j', (header, expected) => {
  expect(retryAfter(new Headers(header === null ? {} : { 'retry-after': header }), NOW)).toBe(expected);
});

describe('RateLimit-Reset', () => {
  const asks = (headers: Record<string, string>) => retryAfter(new Headers(headers), NOW);

  test.each<[string, number | undefined]>([
    ['30', 30_000],
    ['3600', 3_600_000],
    ['-30', undefined],
    ['30;w=60', undefined],
    ['', undefined],
  ])('the wait that RateLimit-Reset %j asks for, in milliseconds, is %j', (header, expected) => {
    expect(asks({ 'ratelimit-reset': header })).toBe(expected);
  });

  test.each([
    ['seconds since 1970', String(NOW / 1000 + 30)],
    ['milliseconds since 1970', String(NOW + 30_000)],
    ['more than an hour', '3601'],
    ['more than a double holds', '9'.repeat(400)],
  ])('a Retry-After or RateLimit-Reset of %s is not read as a wait', (_what, value) => {
    expect(asks({ 'ratelimit-reset': value })).toBeUndefined();
    expect(asks({ 'retry-after': value })).toBeUndefined();
  });

  test('RateLimit-Reset decides when Retry-After asks for more than an hour', () => {
    expect(asks({ 'retry-after': 'Sun, 20 Nov 2046 09:15:30 GMT', 'ratelimit-reset': '7' })).toBe(7_000);
    expect(asks({ 'retry-after': 'Sun, 20 Nov 2046 09:15:30 GMT' })).toBeUndefined();
  });

  test('a valid Retry-After takes precedence over RateLimit-Reset', () => {
    expect(asks({ 'retry-after': '2', 'ratelimit-reset': '7' })).toBe(2_000);
  });
});

describe('the retry loop', () => {
  interface Change extends Partial<RetryPolicy> {
    readonly timeLeft?: number;
    readonly random?: () => number;
  }
  type Failed = readonly [failure: TryAgain['failure'] | 'final', wait?: number];

  /** Fails once per given failure, and then succeeds. */
  async function run(failures: readonly Failed[], { timeLeft = 60_000, random = () => 0.5, ...policy }: Change = {}) {
    const clock = steppedClock([]);
    const end = clock.now() + timeLeft;
    let tries = 0;
    const attempt = async () => {
      const [failure, wait] = failures[tries++] ?? [];
      if (failure === undefined) return 'done';
      const error = new Error(`failed ${tries} times`);
      throw failure === 'final' ? error : new TryAgain(failure, error, wait);
    };
    const budget = { clock, random, timeLeft: () => end - clock.now() };
    const outcome = await retry(attempt, { budget, ...policy }).catch((error: Error) => error.message);
    return { outcome, tries, waits: clock.pauses };
  }
  const times = (count: number, ...failed: Failed) => Array.from({ length: count }, () => failed);

  test.each<[what: string, failures: readonly Failed[], change: Change, expected: object]>([
    ['waits for the backoff after a failure', times(2, 'transient'), {}, { tries: 3, waits: [100, 200] }],
    ['ends after eight failures', times(9, 'transient'), {}, { outcome: 'failed 8 times', tries: 8 }],
    ['waits until throttling ends', times(12, 'throttled'), { timeLeft: 900_000 }, { outcome: 'done', tries: 13 }],
    ['ends when its time ends during throttling', times(99, 'throttled'), {}, { outcome: 'failed 12 times' }],
    [
      'counts throttled and failed tries separately',
      [...times(10, 'throttled'), ...times(7, 'transient')],
      { timeLeft: 900_000 },
      { outcome: 'done', tries: 18 },
    ],
    [
      'counts a failure that names a wait towards the limit of eight',
      times(9, 'transient', 7_000),
      { timeLeft: 900_000, random: never },
      { tries: 8, waits: Array(7).fill(7_000) },
    ],
    ['never waits less than the backoff', times(3, 'throttled', 0), {}, { waits: [100, 200, 400] }],
    [
      'ends when its time would end during the wait',
      times(1, 'transient', 7_000),
      { timeLeft: 7_000 },
      { tries: 1, waits: [] },
    ],
    [
      'ends after one try when no time is left',
      times(1, 'transient'),
      { timeLeft: -5 },
      { outcome: 'failed 1 times', waits: [] },
    ],
    [
      'does not wait before a try that differs from the failed try',
      times(1, 'at once'),
      {},
      { outcome: 'done', tries: 2, waits: [] },
    ],
    ['does not repeat a final failure', times(2, 'final'), {}, { outcome: 'failed 1 times', tries: 1, waits: [] }],
  ])('the retry loop %s', async (_what, failures, change, expected) => {
    expect(await run(failures, change)).toMatchObject(expected);
  });

  test('the retry loop checks before every try whether it may continue', async () => {
    let checks = 0;
    const before = async () => {
      if (++checks === 3) throw new Error('the lease is lost');
    };
    expect(await run(times(9, 'transient'), { before })).toMatchObject({ outcome: 'the lease is lost', tries: 2 });
  });

  test('the retry loop stops waiting when it is aborted', async () => {
    const stop = new AbortController();
    const random = () => {
      stop.abort(new Error('a sibling failed'));
      return 0.5;
    };
    const ended = { outcome: 'a sibling failed', tries: 1 };
    expect(await run(times(2, 'throttled'), { stop: stop.signal, random })).toMatchObject(ended);
  });
});
