/**
 * Implements the budget `requestsPerMinute`: a few requests leave at once and the others evenly, so
 * that no period of a minute has more requests than the budget, whenever the period begins.
 *
 *     30 per minute    6 at once, then one every 2.54 s, which are 24 per minute. A run with little to read does not wait
 *
 * `due` is the time at which the next request would leave if all requests so far had left evenly. A
 * request may leave earlier, but only by a limited time (the "generic cell rate algorithm" of ATM
 * networks). The lease hands `due` from one run to the next.
 */
import { OutOfTimeError } from '../core/errors.ts';
import type { RetryBudget } from '../core/retry.ts';

export interface PacedRequest {
  /** Name of the request in error messages. */
  readonly name: string;
  readonly stop: AbortSignal | undefined;
  readonly budget: RetryBudget;
}

export interface RequestPace {
  /**
   * Resolves when the next request may leave.
   *
   * @throws OutOfTimeError when that would be too late
   */
  wait(request: PacedRequest): Promise<void>;
  /**
   * Time at which the next request would leave if all requests had left evenly, in milliseconds
   * since 1970.
   */
  readonly due: number;
  /**
   * @param due `due` of the previous run. Absent when that run did not save it; it is then assumed
   * that the previous run has used its whole budget
   */
  continueFrom(due: number | undefined, now: number): void;
}

/**
 * Length of a minute and a second, because a request may be on its way for longer than the requests
 * that follow it.
 */
const MINUTE_MILLISECONDS = 61_000;

/** Number of requests that may leave at once, which is enough for a run with little to read. */
function atOnce(perMinute: number): number {
  return Math.max(3, Math.min(8, Math.floor(perMinute / 5)));
}

export function createRequestPace(perMinute: number): RequestPace {
  const interval = Math.ceil(MINUTE_MILLISECONDS / (perMinute - atOnce(perMinute)));
  const ahead = (atOnce(perMinute) - 1) * interval;
  let due = 0;
  let turn: Promise<void> = Promise.resolve();
  const leave = async ({ name, stop, budget: { clock, timeLeft } }: PacedRequest) => {
    stop?.throwIfAborted();
    const milliseconds = due - ahead - clock.now();
    if (milliseconds >= timeLeft()) throw new OutOfTimeError(`before requestsPerMinute allowed a request to ${name}`);
    if (milliseconds > 0) await clock.sleep(milliseconds, stop);
    due = Math.max(due, clock.now()) + interval;
  };
  return {
    get due() {
      return due;
    },
    continueFrom(before, now) {
      // The time is never later than after a run that used up the budget, because the clock may
      // have been set back.
      const usedUp = now + ahead + interval;
      due = Math.min(before ?? usedUp, usedUp);
    },
    wait(request) {
      const mine = turn.then(() => leave(request));
      // The next request waits for its own turn, even if this request was aborted.
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
}
