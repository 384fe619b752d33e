import { setImmediate as turn } from 'node:timers/promises';
import type { Sender } from '../../lambda/aws.ts';
import type { Clock } from '../../lambda/ports.ts';

/**
 * The simulated clock of a scene. When the function waits, the wait ends at once and advances the
 * clock by its length.
 */
export interface SceneClock {
  /** Current time in milliseconds since 1970. */
  now(): number;
  /** Advances the clock at once, and ends every wait that is due. */
  advance(milliseconds: number): void;
  /** Advances the clock in steps, and only while no call to AWS is pending. */
  pass(milliseconds: number): Promise<void>;
  /** The clock as the function reads it. */
  readonly forFunction: Clock;
  /** Wraps a client, so that the clock stands still during its calls. */
  watch(sender: Sender): Sender;
}

interface Wait {
  readonly due: number;
  readonly resolve: () => void;
}

/** Milliseconds of one step, which are less than the time between two renewals of the lease. */
const STEP = 10_000;
/**
 * Waits between two renewals of a lease of 60 or 90 seconds. Such a wait does not advance the
 * clock, because nothing else waits for a renewal. It ends when other waits have advanced the clock
 * far enough.
 */
const RENEWALS: readonly number[] = [20_000, 30_000];

/**
 * Creates a clock on which calls to AWS take no time. Otherwise minutes that pass within a
 * millisecond could overtake a renewal of the lease.
 */
export function createSceneClock(start = Date.parse('2026-11-20T12:00:00Z')): SceneClock {
  let now = start;
  let waits: Wait[] = [];
  const pending = new Set<Promise<unknown>>();

  const advance = (milliseconds: number): void => {
    now += milliseconds;
    const due = waits.filter(wait => wait.due <= now);
    waits = waits.filter(wait => wait.due > now);
    for (const { resolve } of due) resolve();
  };

  const hold = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (milliseconds <= 0) return resolve();

      const wait = { due: now + milliseconds, resolve };
      waits.push(wait);
      signal?.addEventListener('abort', () => {
        waits = waits.filter(other => other !== wait);
        reject(signal.reason);
      });
    });

  const allAnswered = async (): Promise<void> => {
    do {
      await Promise.allSettled(pending);
      await turn();
    } while (pending.size > 0);
  };

  const pass = async (milliseconds: number): Promise<void> => {
    // The end is fixed at the beginning, so that two waits at the same time wait for the same
    // minutes.
    const end = now + milliseconds;
    while (now < end) {
      await allAnswered();
      advance(Math.min(Math.max(0, end - now), STEP));
    }
  };

  return {
    now: () => now,
    advance,
    pass,
    forFunction: {
      now: () => now,
      async sleep(milliseconds, signal, purpose) {
        signal?.throwIfAborted();
        if (purpose === 'limit' || RENEWALS.includes(milliseconds)) return hold(milliseconds, signal);

        await pass(milliseconds);
        signal?.throwIfAborted();
      },
    },
    watch: sender => ({
      send(command) {
        const call = sender.send(command);
        pending.add(call);
        const over = (): void => void pending.delete(call);
        call.then(over, over);
        return call;
      },
    }),
  };
}
