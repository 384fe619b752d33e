import type { InvocationResult } from '../../../lambda/invocation.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../report/report.ts';
import { scheduleIsOff } from '../schedule/is-off.ts';
import { readState } from '../state/read-state.ts';
import { carryOut } from './carry-out.ts';
import { invokeFunction } from './invoke.ts';
import { withProgress } from './order-progress.ts';
import type { Command } from './payload.ts';
import { resultText } from './result-text.ts';
import { timedRuns } from './timed-runs.ts';
import { untilDone } from './until-done.ts';

export interface OrderOptions {
  /** Seconds to wait for the lease. */
  readonly wait: number;
  /** Run after run, until the streams are drained. */
  readonly untilDone?: boolean | undefined;
}

/**
 * Has the function carry out an order, waiting for the lease and showing how far it comes.
 *
 * @throws StillBusyError, FunctionFailedError, AwsCallError, InterruptedError
 */
export async function command(context: Context, what: Command, options: OrderOptions): Promise<Outcome> {
  const { aws, clock, report, signal } = context;
  const { functionName, table } = await context.deployment();
  const state = () => readState(aws, table, clock.now());
  const monitored = async (each: Command): Promise<InvocationResult> => {
    using progress = report.progress('A run is under way.');
    return await withProgress(() => invokeFunction({ aws, functionName, signal }, each), { clock, state, progress });
  };
  const { invoke, seconds } = timedRuns(monitored, clock);
  const dispatch = { invoke, clock, signal, wait: options.wait, say: report.say };
  const result = options.untilDone ? await untilDone(what, dispatch) : await carryOut(what, dispatch);
  const paused = result.more && (await scheduleIsOff(context));
  return { text: resultText(result, seconds, paused), json: { ...result, runSeconds: seconds } };
}
