import { setImmediate as turn } from 'node:timers/promises';
import type { SceneTime } from '../../../../local/incidents/scene-time.ts';
import { BOUNDS, type SteppedClock, steppedClock } from '../../../support/function/stepped-clock.ts';

/** Milliseconds; shorter than the time between two renewals of the lease. */
const STEP = 10_000;

export interface QuietClock extends SceneTime {
  readonly clock: SteppedClock;
}

/**
 * A clock on which calls to AWS take no time: it advances only while none is pending. Otherwise a renewal of the lease could lose a race
 * against minutes that pass in a millisecond.
 */
export function quietClock(): QuietClock {
  const clock = steppedClock();
  const pending = new Set<Promise<unknown>>();
  const allAnswered = async (): Promise<void> => {
    do {
      await Promise.allSettled(pending);
      await turn();
    } while (pending.size > 0);
  };
  const pass = async (milliseconds: number): Promise<void> => {
    // Two that wait at the same time wait for the same minutes.
    const end = clock.now() + milliseconds;
    while (clock.now() < end) {
      await allAnswered();
      clock.advance(Math.min(Math.max(0, end - clock.now()), STEP));
    }
  };
  return {
    clock,
    watch: sender => ({
      send(command) {
        const call = sender.send(command);
        pending.add(call);
        const over = (): void => void pending.delete(call);
        call.then(over, over);
        return call;
      },
    }),
    forFunction: {
      now: clock.now,
      async sleep(milliseconds, signal, purpose) {
        if (purpose === 'limit' || BOUNDS.includes(milliseconds)) return clock.sleep(milliseconds, signal, purpose);
        await pass(milliseconds);
        signal?.throwIfAborted();
      },
    },
    pass,
    fetch,
    during: act => act(),
  };
}
