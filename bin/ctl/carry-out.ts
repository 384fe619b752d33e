/** Has the function carry out an order, waiting for a run that is under way. */
import type { InvocationResult } from '../../lambda/invocation.ts';
import type { Clock } from '../../lambda/ports.ts';
import { FunctionFailedError, StillBusyError } from './errors.ts';
import type { Order } from './order.ts';

export interface Patient {
  readonly invoke: (order: Order) => Promise<InvocationResult>;
  readonly clock: Clock;
  /** Seconds to wait for the lease at most. */
  readonly wait: number;
  readonly say: (line: string) => void;
}

const PAUSE_MILLISECONDS = 5_000;

/** @throws StillBusyError, FunctionFailedError, AwsCallError */
export async function carryOut(order: Order, { invoke, clock, wait, say }: Patient): Promise<InvocationResult> {
  const end = clock.now() + wait * 1000;
  for (;;) {
    const result = await unlessBusy(() => invoke(order));
    if (result) return result;
    const left = end - clock.now();
    if (left <= 0) throw new StillBusyError(wait);
    say(`Another run holds the lease; trying again, for ${Math.ceil(left / 1000)} s at most.`);
    await clock.sleep(Math.min(PAUSE_MILLISECONDS, left));
  }
}

/** A busy lease is an answer where nothing was ordered but a run, and an error where something was. */
async function unlessBusy(attempt: () => Promise<InvocationResult>): Promise<InvocationResult | undefined> {
  try {
    const result = await attempt();
    return result.leaseHeld ? undefined : result;
  } catch (error) {
    if (error instanceof FunctionFailedError && error.type === 'LeaseBusyError') return undefined;
    throw error;
  }
}
