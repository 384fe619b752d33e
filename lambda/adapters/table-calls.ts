/** A call to DynamoDB, repeated while that is worth it, and what its failure is called. */
import { StateError } from '../core/errors.ts';
import { backoff } from '../core/retry-policy.ts';
import type { Guard } from '../ports.ts';
import { isOfTheGuard, persist } from './aws-calls.ts';
import type { Patience } from './patience.ts';

export interface TableCalls {
  /** @param what it does, for the message @throws StateError; as the guard does */
  call<T>(what: string, attempt: () => Promise<T>, before?: Guard, stop?: AbortSignal): Promise<T>;
  /** Before a part that was left undone is asked for again. @throws StateError when the time does not allow it */
  pause(tries: number, what: string, stop: AbortSignal): Promise<void>;
}

export function createTableCalls(patience: Patience): TableCalls {
  return {
    async call(what, attempt, before, stop) {
      try {
        return await persist(attempt, patience, before, stop);
      } catch (error) {
        throw isOfTheGuard(error) ? error : new StateError(what, { cause: error });
      }
    },
    async pause(tries, what, stop) {
      const delay = backoff(tries, patience.random);
      if (delay >= patience.timeLeft()) throw new StateError(`${what} before the time budget ended`);
      await patience.clock.sleep(delay, stop);
    },
  };
}
