/** Has the function try rows again that it could not send. */
import { streamOfLetter } from '../../../lambda/adapters/dead-letter.ts';
import type { InvocationResult } from '../../../lambda/invocation.ts';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import type { Context } from '../context.ts';
import { order } from '../orders/order.ts';
import type { Redriven } from './redrive.ts';

/** @param keys so many as one order may have @throws StillBusyError, FunctionFailedError, AwsCallError, InterruptedError */
export async function redriveLetters(context: Context, keys: readonly string[], wait: number): Promise<Redriven[]> {
  const { connector } = await context.deployment();
  const streams = lanesOf(keys.map(key => streamOfLetter(key, connector)!));
  const { json } = await order(context, { streams, redrive: keys }, { wait });
  return [...((json as InvocationResult).letters ?? [])];
}

/** With the streams before them in their lanes: only once those are drained may a stream be. Another lane's failure is none of ours. */
function lanesOf(streams: readonly StreamName[]): StreamName[] {
  const lanes = new Set(STREAMS.filter(({ name }) => streams.includes(name)).map(({ lane }) => lane));
  return STREAMS.filter(({ lane }) => lanes.has(lane)).map(({ name }) => name);
}
