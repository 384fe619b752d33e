/** Run after run until the streams are drained. The schedule would do the same; this waits for it. */
import type { StreamResult } from '../../../lambda/core/run.ts';
import type { InvocationResult } from '../../../lambda/invocation.ts';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import { InterruptedError } from '../errors.ts';
import { carryOut, type Dispatch } from './carry-out.ts';
import type { Command } from './payload.ts';

/** A run of the schedule that got the lease may take Lambda's fifteen minutes. */
const LONGEST_RUN_SECONDS = 16 * 60;

/** @throws as `carryOut` does; once the order itself is carried out, an interruption says so */
export async function untilDone(command: Command, dispatch: Dispatch): Promise<InvocationResult> {
  let total = await carryOut(command, dispatch);
  const streams = namesOf(total);
  while (total.more) {
    dispatch.say('The time ended before the streams did; the next run goes on.');
    const next = await goOn({ streams }, { ...dispatch, wait: Math.max(dispatch.wait, LONGEST_RUN_SECONDS) });
    total = { streams: added(total.streams, next.streams), more: next.more };
  }
  return total;
}

async function goOn(command: Command, dispatch: Dispatch): Promise<InvocationResult> {
  try {
    return await carryOut(command, dispatch);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    throw new InterruptedError(
      'Interrupted. The order was carried out in part, and the schedule goes on with it unless it is paused.',
      {
        cause: error,
      },
    );
  }
}

function namesOf({ streams }: InvocationResult): StreamName[] {
  return STREAMS.map(({ name }) => name).filter(name => name in streams);
}

/** Counts of all runs together; whether a stream is drained, by the last. */
function added(one: InvocationResult['streams'], other: InvocationResult['streams']): InvocationResult['streams'] {
  const sums = Object.entries(other).map(([name, result]) => [name, addedResult(one[name], result)]);
  return { ...one, ...Object.fromEntries(sums) };
}

function addedResult(one: StreamResult | undefined, other: StreamResult): StreamResult {
  const sums = Object.entries(other).map(([member, value]) => {
    const before = one?.[member as keyof StreamResult];
    return [member, typeof value === 'number' && typeof before === 'number' ? before + value : value];
  });
  return Object.fromEntries(sums) as unknown as StreamResult;
}
