import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backoff, isRetryable, MAX_ATTEMPTS, nextDelay, retryAfter } from '../../../lambda/core/retry.ts';

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
    ['2.5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['2026-11-20T09:15:30Z', undefined],
  ])('%j asks for %j ms', (header, expected) => {
    expect(retryAfter(header, NOW)).toBe(expected);
  });
});

describe('the next delay', () => {
  const failure = { attempt: 1, retryAfter: undefined, timeLeft: 60_000 };

  test('is the backoff when the server names no time', () => {
    expect(nextDelay({ ...failure, attempt: 3 }, () => 0.5)).toBe(400);
  });

  test('is none after the last attempt', () => {
    expect(nextDelay({ ...failure, attempt: MAX_ATTEMPTS - 1 }, never)).toBe(0);
    expect(nextDelay({ ...failure, attempt: MAX_ATTEMPTS }, never)).toBeUndefined();
  });

  test('is never less than the server asked for, however often it does', () => {
    expect(nextDelay({ ...failure, retryAfter: 7000, attempt: MAX_ATTEMPTS + 5 }, never)).toBe(7000);
    expect(nextDelay({ ...failure, retryAfter: 7000 }, almostOne)).toBeGreaterThan(7000);
  });

  test('is never less than the backoff, whatever little the server asks for', () => {
    const asked = (retryAfter: number, waits: number) => nextDelay({ ...failure, retryAfter, waits }, () => 0.5);
    expect([1, 2, 3, 4, 9, 99].map(waits => asked(0, waits))).toEqual([100, 200, 400, 800, 10_000, 10_000]);
    expect([asked(1_000, 3), asked(1_000, 9)]).toEqual([1_100, 10_000]);
  });

  test('is none when the time budget would end first', () => {
    expect(nextDelay({ ...failure, retryAfter: 7000, timeLeft: 7000 }, never)).toBeUndefined();
    expect(nextDelay({ ...failure, retryAfter: 7000, timeLeft: 7001 }, never)).toBe(7000);
    expect(nextDelay({ ...failure, timeLeft: 0 }, never)).toBeUndefined();
    expect(nextDelay({ ...failure, timeLeft: -5 }, never)).toBeUndefined();
  });
});
