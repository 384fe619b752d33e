import type { Clock } from '../ports.ts';
/** When to try again: pure functions from an attempt and an answer to a delay, or to none. */

/** Attempts for one request when the server names no time: about thirteen seconds of waiting on average. */
export const MAX_ATTEMPTS = 8;
const BASE_MILLISECONDS = 200;
const CAP_MILLISECONDS = 20_000;

/** Full jitter: anywhere between nothing and the exponential bound, so that many callers do not come back together. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(CAP_MILLISECONDS, BASE_MILLISECONDS * 2 ** (attempt - 1));
}

/** 408, 425, 429 and 5xx say "later"; everything else says "no". */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/**
 * Milliseconds that a `Retry-After` header asks for (RFC 9110 §10.2.3: seconds or an HTTP date); nothing when it is
 * absent or neither.
 */
export function retryAfter(header: string | null, now: number): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Date.parse also takes forms that are no HTTP date, such as "2.5": each HTTP date begins with the day's name.
  const date = /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export interface Failure {
  /** Failures so far for which the server named no time, this one included. */
  readonly attempt: number;
  /** Failures so far for which the server named a time, this one included. @default 1 */
  readonly waits?: number;
  /** What the server asked for, if it did. */
  readonly retryAfter: number | undefined;
  /** Milliseconds until the time budget ends. */
  readonly timeLeft: number;
}

/**
 * A server that names a time is obeyed as often as it does so, with a little jitter to keep callers apart. It only ever
 * makes us slower: a time that has passed, or zero, is answered with the backoff.
 */
function atLeast(asked: number, waits: number, random: () => number): number {
  return Math.max(asked + random() * BASE_MILLISECONDS, backoff(waits, random));
}

/** Milliseconds to wait before the next try, or nothing: give up. */
export function nextDelay(failure: Failure, random: () => number): number | undefined {
  const { attempt, waits = 1, retryAfter: asked, timeLeft } = failure;
  if (asked === undefined && attempt >= MAX_ATTEMPTS) return undefined;
  const delay = asked === undefined ? backoff(attempt, random) : atLeast(asked, waits, random);
  return delay < timeLeft ? delay : undefined;
}

/** What every adapter that tries again needs to know about time and chance. */
export interface RetryBudget {
  readonly clock: Clock;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Milliseconds until the invocation must have ended. */
  readonly timeLeft: () => number;
}
