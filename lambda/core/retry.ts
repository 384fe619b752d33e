/**
 * The one loop of tries. What a failure means is decided by the attempt or by the policy, how long to wait is decided here:
 *
 *     failure            how often            how long
 *     'throttled'        until time is up     backoff by the number of throttles
 *     'transient'        8 tries              backoff by the number of failures
 *     { kind, wait }     as its kind says     what the service asks for, never less than the backoff
 *     'at once'          as the attempt says  not at all: the next try differs, as with a new token
 *     'final'            never                the error is thrown as it is
 *
 * Throttles and failures are counted apart: a service that was busy for long has not used up the tries that its failures are granted.
 */
import type { Clock } from '../ports.ts';

/** What everything that tries again needs to know about time and chance. */
export interface RetryBudget {
  readonly clock: Clock;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Milliseconds until the invocation must have ended. */
  readonly timeLeft: () => number;
}

export type Failure = FailureKind | 'at once' | 'final' | { readonly kind: FailureKind; readonly wait: number };
type FailureKind = 'throttled' | 'transient';

export interface RetryPolicy {
  readonly budget: RetryBudget;
  /** @default what a TryAgain says; every other error is final */
  readonly classify?: (error: unknown) => Failure;
  /** Runs before every try, the first included. What it throws ends the loop. */
  readonly before?: (() => Promise<void>) | undefined;
  /** Ends the wait before the next try. */
  readonly stop?: AbortSignal | undefined;
  /** Tries that 'transient' failures are granted. @default 8: about thirteen seconds of waiting on average */
  readonly tries?: number;
  /** What to reject with when the tries or the time are used up. @default `instead` of a TryAgain, or the last error */
  readonly giveUp?: (error: unknown, reason: 'tries' | 'time') => unknown;
  readonly onWait?: (milliseconds: number, failure: Failure) => void;
}

/** Thrown by an attempt that knows by itself what its failure means. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
  readonly failure: Failure;
  /** What the loop rejects with when it gives up. */
  readonly instead: Error;
  constructor(failure: Failure, instead: Error) {
    super(instead.message);
    this.failure = failure;
    this.instead = instead;
  }
}

export const failureOf = (error: unknown): Failure => (error instanceof TryAgain ? error.failure : 'final');
const insteadOf = (error: unknown): unknown => (error instanceof TryAgain ? error.instead : error);

export async function retry<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { budget, classify = failureOf, before, stop, tries = MAX_ATTEMPTS, giveUp = insteadOf, onWait } = policy;
  const count = { throttled: 0, transient: 0 };
  for (;;) {
    await before?.();
    try {
      return await attempt();
    } catch (error) {
      const failure = classify(error);
      if (failure === 'final') throw insteadOf(error);
      if (failure === 'at once') continue;
      const { kind, wait: asked } = typeof failure === 'string' ? { kind: failure, wait: undefined } : failure;
      if (++count[kind] >= tries && kind === 'transient') throw giveUp(error, 'tries');
      const paced = backoff(count[kind], budget.random);
      // A little jitter keeps callers apart. A time of zero, or in the past, does not shorten the backoff.
      const wait = asked === undefined ? paced : Math.max(asked + budget.random() * BASE_MILLISECONDS, paced);
      if (wait >= budget.timeLeft()) throw giveUp(error, 'time');
      await budget.clock.sleep(wait, stop);
      onWait?.(wait, failure);
    }
  }
}

/** Tries that a transient failure is granted. */
export const MAX_ATTEMPTS = 8;
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

/** What an answer with such a status means to the loop. 429 is a throttle: it is waited out for as long as the time budget lasts. */
export function failureOfAnswer(status: number, headers: Pick<Headers, 'get'>, now: number): Failure {
  if (!isRetryable(status)) return 'final';
  const kind = status === 429 ? 'throttled' : 'transient';
  const wait = retryAfter(headers, now);
  return wait === undefined ? kind : { kind, wait };
}
