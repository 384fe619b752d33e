import type { RetryBudget } from '../../lambda/core/retry.ts';
import type { Clock } from '../../lambda/ports.ts';

/** For one request and its retries: an operator waits less long than a run. */
const MILLISECONDS = 20_000;

/** A retry budget that starts now. */
export function freshBudget(clock: Clock, milliseconds = MILLISECONDS): RetryBudget {
  const end = clock.now() + milliseconds;
  return { clock, random: Math.random, timeLeft: () => end - clock.now() };
}
