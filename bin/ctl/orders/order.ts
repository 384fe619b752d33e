import type { Context } from '../context.ts';
import type { Outcome } from '../report/report.ts';
import { carryOut } from './carry-out.ts';
import { invokeFunction } from './invoke.ts';
import type { Order } from './payload.ts';
import { resultText } from './result-text.ts';

/** Has the function carry out an order, waiting for the lease. @param wait seconds @throws StillBusyError, FunctionFailedError, AwsCallError */
export async function order(context: Context, what: Order, wait: number): Promise<Outcome> {
  const { aws, clock, report, signal } = context;
  const { functionName } = await context.deployment();
  const invoke = (each: Order) => invokeFunction({ aws, functionName, signal }, each);
  const result = await carryOut(what, { invoke, clock, signal, wait, say: report.say });
  return { text: resultText(result), json: result };
}
