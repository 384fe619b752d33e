import type { Clock } from './ports.ts';

/** What every adapter that tries again needs to know about time and chance. */
export interface RetryBudget {
  readonly clock: Clock;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Milliseconds until the invocation must have ended. */
  readonly timeLeft: () => number;
}
