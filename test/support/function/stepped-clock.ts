import type { RetryBudget } from '../../../lambda/core/retry.ts';
import type { Clock } from '../../../lambda/ports.ts';

export interface SteppedClock extends Clock {
  /** Lets time pass, and with it every wait that is due. */
  advance(milliseconds: number): void;
  /** Resolves once somebody waits on a bound. */
  holding(): Promise<void>;
  /** The pauses so far, in milliseconds. */
  readonly pauses: readonly number[];
}

export const START = Date.parse('2026-11-20T12:00:00.000Z');
/**
 * The waits that bound something: time-outs of the token endpoint and of the API, the heartbeat of
 * a lease of 60 s.
 */
const BOUNDS: readonly number[] = [10_000, 30_000, 20_000];

/**
 * A pause passes at once and advances the time by its length. A bound is held until the time has
 * reached it.
 */
export function steppedClock(bounds: readonly number[] = BOUNDS): SteppedClock {
  let now = START;
  let held: { due: number; resolve: () => void }[] = [];
  const watching: (() => void)[] = [];
  const pauses: number[] = [];
  const advance = (milliseconds: number): void => {
    now += milliseconds;
    const due = held.filter(each => each.due <= now);
    held = held.filter(each => each.due > now);
    for (const each of due) each.resolve();
  };
  const hold = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (milliseconds <= 0) return resolve();
      const wait = { due: now + milliseconds, resolve };
      held.push(wait);
      for (const notify of watching.splice(0)) notify();
      signal?.addEventListener('abort', () => {
        held = held.filter(each => each !== wait);
        reject(signal.reason);
      });
    });
  return {
    now: () => now,
    advance,
    holding: () => new Promise(resolve => (held.length > 0 ? resolve() : void watching.push(resolve))),
    pauses,
    async sleep(milliseconds, signal, purpose) {
      signal?.throwIfAborted();
      if (purpose === 'limit' || bounds.includes(milliseconds)) return hold(milliseconds, signal);
      pauses.push(milliseconds);
      advance(milliseconds);
    },
  };
}

/** @param budget milliseconds from now until the invocation must have ended */
export function retryBudget(clock: Clock, budget = 900_000, random: () => number = () => 0.25): RetryBudget {
  const end = clock.now() + budget;
  return { clock, random, timeLeft: () => end - clock.now() };
}
