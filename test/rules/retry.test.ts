import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  backoff,
  type Failure,
  isRetryable,
  type RetryPolicy,
  retry,
  retryAfter,
  TryAgain,
} from '../../lambda/core/retry.ts';
import { steppedClock } from '../support/function/stepped-clock.ts';

const NOW = Date.parse('2026-11-20T09:15:00Z');
const never = () => 0;
const almostOne = () => 0.999999;

describe('backoff', () => {
  test('full jitter: from nothing up to twice the bound of the attempt before', () => {
    expect([1, 2, 3].map(attempt => backoff(attempt, never))).toEqual([0, 0, 0]);
    expect([1, 2, 3, 4].map(attempt => Math.round(backoff(attempt, almostOne)))).toEqual([200, 400, 800, 1600]);
  });

  test('never more than twenty seconds', () => {
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

test.each([408, 425, 429, 500, 502, 503, 504, 599])('%i is worth another try', status => {
  expect(isRetryable(status)).toBe(true);
});

test.each([301, 400, 401, 403, 404, 409, 410, 422, 501, 505])('%i is not', status => {
  expect(isRetryable(status)).toBe(false);
});

describe('Retry-After', () => {
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
  ])('%j asks for %j ms', (header, expected) => {
    expect(retryAfter(new Headers(header === null ? {} : { 'retry-after': header }), NOW)).toBe(expected);
  });
});

describe('RateLimit-Reset', () => {
  const asks = (headers: Record<string, string>) => retryAfter(new Headers(headers), NOW);

  test.each<[string, number | undefined]>([
    ['30', 30_000],
    ['3600', 3_600_000],
    ['-30', undefined],
    ['30;w=60', undefined],
    ['', undefined],
  ])('%j asks for %j ms', (header, expected) => {
    expect(asks({ 'ratelimit-reset': header })).toBe(expected);
  });

  test.each([
    ['seconds since 1970', String(NOW / 1000 + 30)],
    ['milliseconds since 1970', String(NOW + 30_000)],
    ['more than an hour', '3601'],
    ['more than a double holds', '9'.repeat(400)],
  ])('%s are no hint in either header', (_what, value) => {
    expect([asks({ 'ratelimit-reset': value }), asks({ 'retry-after': value })]).toEqual([undefined, undefined]);
  });

  test('a Retry-After of more than an hour leaves the hint to RateLimit-Reset', () => {
    expect(asks({ 'retry-after': 'Sun, 20 Nov 2046 09:15:30 GMT', 'ratelimit-reset': '7' })).toBe(7_000);
    expect(asks({ 'retry-after': 'Sun, 20 Nov 2046 09:15:30 GMT' })).toBeUndefined();
  });

  test('a Retry-After that is understood is taken before RateLimit-Reset', () => {
    expect(asks({ 'retry-after': '2', 'ratelimit-reset': '7' })).toBe(2_000);
  });
});

describe('the loop of tries', () => {
  /** Fails once per given failure, and then succeeds. */
  async function run(failures: readonly Failure[], { timeLeft = 60_000, random = () => 0.5, ...policy }: Change = {}) {
    const clock = steppedClock([]);
    const end = clock.now() + timeLeft;
    let tries = 0;
    const attempt = async () => {
      const failure = failures[tries++];
      if (failure) throw new TryAgain(failure, new Error(`failed ${tries} times`));
      return 'done';
    };
    const budget = { clock, random, timeLeft: () => end - clock.now() };
    const outcome = await retry(attempt, { budget, ...policy }).catch((error: Error) => error.message);
    return { outcome, tries, waits: clock.pauses };
  }
  interface Change extends Partial<RetryPolicy> {
    readonly timeLeft?: number;
    readonly random?: () => number;
  }
  const times = (count: number, failure: Failure) => Array.from({ length: count }, () => failure);

  test('waits for the backoff after a transient failure, eight tries long', async () => {
    expect(await run(times(2, 'transient'))).toEqual({ outcome: 'done', tries: 3, waits: [100, 200] });
    expect(await run(times(9, 'transient'))).toMatchObject({ outcome: 'failed 8 times', tries: 8 });
  });

  test('waits out throttling until the time is up, however often', async () => {
    expect(await run(times(12, 'throttled'), { timeLeft: 900_000 })).toMatchObject({ outcome: 'done', tries: 13 });
    const { outcome, waits } = await run(times(99, 'throttled'));
    expect([outcome, waits.reduce((sum, each) => sum + each, 0) < 60_000]).toEqual([expect.any(String), true]);
  });

  test('counts throttles and failures apart: throttling uses up none of the tries', async () => {
    const failures = [...times(10, 'throttled'), ...times(7, 'transient')];
    expect(await run(failures, { timeLeft: 900_000 })).toMatchObject({ outcome: 'done', tries: 18 });
  });

  test('waits as long as a throttle asks, however often it does', async () => {
    const asked = await run(times(10, { kind: 'throttled', wait: 7000 }), { timeLeft: 900_000, random: never });
    expect(asked).toEqual({ outcome: 'done', tries: 11, waits: times(10, 7000 as never) });
  });

  test('counts a failure that names a wait among the eight tries', async () => {
    const failed = await run(times(9, { kind: 'transient', wait: 7000 }), { timeLeft: 900_000, random: never });
    expect(failed).toEqual({ outcome: 'failed 8 times', tries: 8, waits: times(7, 7000 as never) });
  });

  test('never waits less than the backoff, however little the service asks for', async () => {
    const { waits } = await run(times(5, { kind: 'throttled', wait: 0 }));
    expect(waits).toEqual([100, 200, 400, 800, 1600]);
  });

  test('gives up when the time would end first', async () => {
    expect(await run([{ kind: 'transient', wait: 7000 }], { timeLeft: 7000, random: never })).toMatchObject({
      tries: 1,
      waits: [],
    });
    expect(await run([{ kind: 'transient', wait: 7000 }], { timeLeft: 7001, random: never })).toMatchObject({
      tries: 2,
    });
    expect(await run(['transient'], { timeLeft: -5 })).toMatchObject({ outcome: 'failed 1 times', waits: [] });
  });

  test('does not wait before a try that differs, and does not try again what is final', async () => {
    expect(await run(['at once'])).toEqual({ outcome: 'done', tries: 2, waits: [] });
    expect(await run(['final', 'transient'])).toEqual({ outcome: 'failed 1 times', tries: 1, waits: [] });
  });

  test('asks before every try whether it may, and ends with what the check throws', async () => {
    let checks = 0;
    const before = async () => {
      if (++checks === 3) throw new Error('the lease is lost');
    };
    expect(await run(times(9, 'transient'), { before })).toMatchObject({ outcome: 'the lease is lost', tries: 2 });
  });

  test('ends its wait when it is stopped', async () => {
    const stop = AbortSignal.abort(new Error('a sibling failed'));
    expect(await run(['throttled'], { stop })).toMatchObject({ outcome: 'a sibling failed', tries: 1 });
  });

  test('says whether the tries or the time were used up', async () => {
    const giveUp = (_error: unknown, reason: string) => new Error(reason);
    expect((await run(times(9, 'transient'), { giveUp })).outcome).toBe('tries');
    expect((await run(['throttled'], { giveUp, timeLeft: 0 })).outcome).toBe('time');
  });
});
