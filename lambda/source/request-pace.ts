/**
 * The budget of requests, `requestsPerMinute`: a few leave at once, the others evenly, so that no minute has more of them, wherever it begins.
 *
 *     30 a minute    6 at once, then one every 2.54 s, which are 24 a minute. A run with little to read waits for nothing
 *
 * `due` is when the requests so far would have left had all of them left evenly. A request may leave while that is not too far ahead (the
 * "generic cell rate algorithm" of ATM networks). The lease hands it from one run to the next.
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
  /** Resolves when the next request may leave. @throws OutOfTimeError when that would be too late */
  wait(request: PacedRequest): Promise<void>;
  /** In milliseconds since the epoch. */
  readonly due: number;
  /** @param due of the run before. Absent: it did not say, and may have requested as much as it was allowed to */
  continueFrom(due: number | undefined, now: number): void;
}

/** A minute and a second, because a request may be longer on its way than the requests that follow it. */
const MINUTE_MILLISECONDS = 61_000;

/** Number of requests that may leave at once, which is enough for a run with little to read. */
function atOnce(perMinute: number): number {
  return Math.max(3, Math.min(8, Math.floor(perMinute / 5)));
}

export function requestPace(perMinute: number): RequestPace {
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
      // Never later than after a run that used the budget up: the clock may have been set back.
      const usedUp = now + ahead + interval;
      due = Math.min(before ?? usedUp, usedUp);
    },
    wait(request) {
      const mine = turn.then(() => leave(request));
      // The next request waits for its own turn, also if this one was aborted.
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
}
