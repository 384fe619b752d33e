import type { RetryBudget } from '../../lambda/core/retry.ts';
import type { Clock } from '../../lambda/ports.ts';

/** Time for one request and its retries. It is short, because an operator waits for the answer. */
const MILLISECONDS = 20_000;

/** Returns a retry budget whose time starts now. */
export function startRetryBudget(clock: Clock, milliseconds = MILLISECONDS): RetryBudget {
  const end = clock.now() + milliseconds;
  return { clock, random: Math.random, timeLeft: () => end - clock.now() };
}
