import { setTimeout as wait } from 'node:timers/promises';
import type { InvocationResult } from '../../lambda/invocation.ts';

export interface DrainOptions {
  readonly invoke: () => Promise<InvocationResult>;
  /** Whether no further invocation is wanted. */
  readonly isStopped: () => boolean;
  /** Called each time another run's lease is found. */
  readonly onLeaseHeld: () => void;
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

const LEASE_POLL_MILLISECONDS = 1000;

/**
 * Plays the schedule: invokes until every stream is drained. A lease that a killed run left behind is waited out.
 *
 * @returns whether everything is drained
 */
export async function drainUntilDone(options: DrainOptions): Promise<boolean> {
  const { invoke, isStopped, onLeaseHeld, sleep = wait } = options;
  while (!isStopped()) {
    const { more, leaseHeld } = await invoke();
    if (leaseHeld) {
      onLeaseHeld();
      await sleep(LEASE_POLL_MILLISECONDS);
    } else if (!more) return true;
  }
  return false;
}
