/** How long runs take: from the call to the function's answer, so that the start of a cold function counts too. */
import type { InvocationResult } from '../../../lambda/invocation.ts';
import type { Clock } from '../../../lambda/ports.ts';
import type { Dispatch } from './carry-out.ts';

export interface TimedRuns {
  readonly invoke: Dispatch['invoke'];
  /** Seconds of each run so far that had the lease, in their order. */
  readonly seconds: readonly number[];
}

/** Times the runs that `invoke` starts. One that finds the lease held, or fails, is none whose time says anything. */
export function timedRuns(invoke: Dispatch['invoke'], clock: Pick<Clock, 'now'>): TimedRuns {
  const seconds: number[] = [];
  return {
    seconds,
    async invoke(command): Promise<InvocationResult> {
      const begun = clock.now();
      const result = await invoke(command);
      if (!result.leaseHeld) seconds.push((clock.now() - begun) / 1000);
      return result;
    },
  };
}

/** A run has fifteen minutes, and on-call asks how near it came: seconds, whatever their number. */
export function runsText(seconds: readonly number[]): string {
  const [last = '', ...others] = seconds.map(each => `${each.toFixed(each < 10 ? 1 : 0)} s`).toReversed();
  if (others.length === 0) return `The run took ${last}.`;
  return `${seconds.length} runs took ${others.toReversed().join(', ')} and ${last}.`;
}
