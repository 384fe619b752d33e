/** Has the function try rows again that it could not send. */

import { MAX_REDRIVE } from '../../../lambda/command.ts';
import { parseDeadLetterKey } from '../../../lambda/core/dead-letter.ts';
import type { InvocationResult } from '../../../lambda/invocation.ts';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import type { Context } from '../context.ts';
import { command } from '../orders/order.ts';
import type { Redriven } from './redriven.ts';

export interface LettersOrder {
  /** The streams of one lane: each may be drained only once those before it are. */
  readonly streams: readonly StreamName[];
  /** So many as one order may have. */
  readonly redrive: readonly string[];
}

/** An order a lane at least: what fails in another lane, or is off, is none of its business. */
export function lettersOrders(keys: readonly string[], connector: string): LettersOrder[] {
  return [...Map.groupBy(STREAMS, ({ group }) => group).values()].flatMap(group => {
    const streams = group.map(({ name }) => name);
    const own = keys.filter(key => streams.some(name => name === parseDeadLetterKey(key, connector)?.stream));
    const pieces = Math.ceil(own.length / MAX_REDRIVE);
    return Array.from({ length: pieces }, (_, at) => {
      return { streams, redrive: own.slice(at * MAX_REDRIVE, (at + 1) * MAX_REDRIVE) };
    });
  });
}

/** @throws RefusedError, StillBusyError, FunctionFailedError, AwsCallError, InterruptedError */
export async function redriveDeadLetters(context: Context, what: LettersOrder, wait: number): Promise<Redriven[]> {
  const { json } = await command(context, what, { wait });
  return [...((json as InvocationResult).letters ?? [])];
}
