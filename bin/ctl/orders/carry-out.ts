/** Has the function carry out an order, waiting for a run that is under way. */
import type { InvocationResult } from '../../../lambda/invocation.ts';
import type { Clock } from '../../../lambda/ports.ts';
import { FunctionFailedError, InterruptedError, StillBusyError } from '../errors.ts';
import type { Command } from './payload.ts';

/** How an order reaches the function, and how long it is tried. */
export interface Dispatch {
  readonly invoke: (command: Command) => Promise<InvocationResult>;
  readonly clock: Clock;
  /** Seconds to wait for the lease at most. */
  readonly wait: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const PAUSE_MILLISECONDS = 5_000;

/** @throws StillBusyError, FunctionFailedError, AwsCallError, InterruptedError */
export async function carryOut(
  command: Command,
  { invoke, clock, wait, say, signal }: Dispatch,
): Promise<InvocationResult> {
  const end = clock.now() + wait * 1000;
  for (;;) {
    const result = await unlessBusy(() => invoke(command));
    if (result) return result;
    const left = end - clock.now();
    if (left <= 0) throw new StillBusyError(wait);
    say(`Another run holds the lease; trying again, for ${Math.ceil(left / 1000)} s at most.`);
    await pause(clock, Math.min(PAUSE_MILLISECONDS, left), signal);
  }
}

async function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal);
  } catch (cause) {
    throw new InterruptedError('Interrupted while waiting for the lease. Nothing was done.', { cause });
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
