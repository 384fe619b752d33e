/**
 * The one loop of tries. An attempt that another try may follow throws TryAgain, which says what failed:
 *
 *     failure        how often             how long
 *     'throttled'    until time is up      backoff by the number of throttles
 *     'transient'    8 tries               backoff by the number of failures
 *     'at once'      as the attempt says   not at all: the next try differs, as with a new token
 *
 * `wait` is what the service asks for, and is never shorter than the backoff. Throttles and failures are counted apart: a service that was busy
 * for long has not used up the tries that its failures are granted.
 */
import type { Clock } from '../ports.ts';

/** Time and randomness for code that repeats calls. */
export interface RetryBudget {
  readonly clock: Clock;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Milliseconds until the invocation must have ended. */
  readonly timeLeft: () => number;
}

export interface RetryPolicy {
  readonly budget: RetryBudget;
  /** Called before every try, the first included. An error that it throws ends the loop. */
  readonly before?: (() => Promise<void>) | undefined;
  /** Ends the loop, also while it waits, with the reason of the signal. */
  readonly stop?: AbortSignal | undefined;
}

export type Failure = 'throttled' | 'transient';

/** Thrown by an attempt that another try may follow. Any other error ends the loop. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
  readonly failure: Failure | 'at once';
  /** The error to reject with when the tries or the time are used up. */
  readonly instead: Error;
  /** Milliseconds that the service asks to wait. */
  readonly wait: number | undefined;

  constructor(failure: Failure | 'at once', instead: Error, wait?: number) {
    super(instead.message);
    this.failure = failure;
    this.instead = instead;
    this.wait = wait;
  }
}

export async function retry<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { budget, before, stop } = policy;
  const count = { throttled: 0, transient: 0 };

  for (;;) {
    stop?.throwIfAborted();
    await before?.();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      const { failure, instead, wait: asked } = error;
      if (failure === 'at once') continue;

      count[failure]++;
      const paced = backoff(count[failure], budget.random);
      // A little jitter keeps callers apart. A time of zero, or in the past, does not shorten the backoff.
      const wait = asked === undefined ? paced : Math.max(asked + budget.random() * BASE_MILLISECONDS, paced);
      if (count.transient >= MAX_ATTEMPTS || wait >= budget.timeLeft()) throw instead;
      await budget.clock.sleep(wait, stop);
    }
  }
}

/** Tries that transient failures are granted: about thirteen seconds of waiting on average. */
const MAX_ATTEMPTS = 8;
const BASE_MILLISECONDS = 200;
const CAP_MILLISECONDS = 20_000;

/** Full jitter: anywhere between nothing and the exponential bound, so that many callers do not come back together. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(CAP_MILLISECONDS, BASE_MILLISECONDS * 2 ** (attempt - 1));
}

/** Whether another try may succeed: after 408, 425, 429 and 5xx. */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/** Milliseconds. A longer wait is no hint, but a time since 1970 in place of a number of seconds, or a clock that is wrong. */
const LONGEST_WAIT = 3_600_000;

/**
 * Milliseconds that an answer asks to wait: `Retry-After` (RFC 9110 §10.2.3: seconds or an HTTP date, here with fractions too), else the
 * seconds of `RateLimit-Reset`; nothing when neither says a time of an hour at most, so that the backoff decides.
 */
export function retryAfter(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  // Date.parse also takes forms that are no HTTP date, such as "1". Each HTTP date begins with the day's name.
  const date = /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN;
  const asked = Number.isNaN(date) ? seconds(value) : Math.max(0, date - now);
  const reset = seconds(headers.get('ratelimit-reset')?.trim() ?? '');
  return [asked, reset].find(wait => wait !== undefined && wait <= LONGEST_WAIT);
}

function seconds(value: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : undefined;
}
