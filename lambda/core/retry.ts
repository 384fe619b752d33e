/**
 * Contains the only loop that repeats calls. An attempt that may be repeated throws TryAgain, which
 * classifies the failure:
 *
 *     failure        how often             how long
 *     'throttled'    until time is up      backoff by the number of throttles
 *     'transient'    8 tries               backoff by the number of failures
 *     'at once'      as the attempt says   no wait, because the next try differs, for example by a new token
 *
 * `wait` is the time that the service asks for. The actual wait is never shorter than the backoff.
 * Throttles and failures are counted separately, because a service that was busy for a long time
 * has not used up the tries that its failures are granted.
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
  /** Called before every try, including the first. An error that it throws ends the loop. */
  readonly before?: (() => Promise<void>) | undefined;
  /** Ends the loop, even while it waits. The loop then rejects with the reason of the signal. */
  readonly stop?: AbortSignal | undefined;
}

export type Failure = 'throttled' | 'transient';

/** Thrown by an attempt that may be repeated. Any other error ends the loop. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
  readonly failure: Failure | 'at once';
  /** Error with which the loop rejects when the tries or the time are used up. */
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
      // A little jitter keeps callers from returning together. A wait of zero, or a date in the
      // past, does not shorten the backoff.
      const wait = asked === undefined ? paced : Math.max(asked + budget.random() * BASE_MILLISECONDS, paced);
      if (count.transient >= MAX_ATTEMPTS || wait >= budget.timeLeft()) throw instead;
      await budget.clock.sleep(wait, stop);
    }
  }
}

/**
 * Number of tries for transient failures. Together they wait for about thirteen seconds on average.
 */
const MAX_ATTEMPTS = 8;
const BASE_MILLISECONDS = 200;
const CAP_MILLISECONDS = 20_000;

/**
 * Returns a wait with full jitter: anywhere between zero and the exponential bound, so that many
 * callers do not return at the same time.
 */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(CAP_MILLISECONDS, BASE_MILLISECONDS * 2 ** (attempt - 1));
}

/**
 * Whether another try may succeed: after the statuses 408, 425 and 429, and after most statuses of
 * the 5xx class.
 */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/**
 * Longest wait that is accepted, in milliseconds. A longer value is probably a time since 1970
 * instead of a number of seconds, or comes from a wrong clock.
 */
const LONGEST_WAIT = 3_600_000;

/**
 * Reads how many milliseconds an answer asks to wait: from `Retry-After` (RFC 9110 §10.2.3: seconds
 * or an HTTP date; fractions are accepted here), otherwise from the seconds of `RateLimit-Reset`.
 *
 * @returns undefined when neither gives a wait of at most an hour, so that the backoff decides
 */
export function retryAfter(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  // Date.parse also accepts forms that are not HTTP dates, such as "1". Each HTTP date begins with
  // the name of the day.
  const date = /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN;
  const asked = Number.isNaN(date) ? seconds(value) : Math.max(0, date - now);
  const reset = seconds(headers.get('ratelimit-reset')?.trim() ?? '');
  return [asked, reset].find(wait => wait !== undefined && wait <= LONGEST_WAIT);
}

function seconds(value: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : undefined;
}
