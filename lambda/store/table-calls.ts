/** A call to DynamoDB, repeated while that is worth it, and what its failure is called. */

import { isLeaseError, retry } from '../aws-calls.ts';
import { StateError } from '../core/errors.ts';
import { backoff } from '../core/retry.ts';
import type { AssertLeaseValid } from '../ports.ts';
import type { RetryBudget } from '../retry-budget.ts';

export interface TableCalls {
  /** @param what it does, for the message @throws StateError; as the guard does */
  call<T>(what: string, attempt: () => Promise<T>, before?: AssertLeaseValid, stop?: AbortSignal): Promise<T>;
  /** Before a part that was left undone is asked for again. @throws StateError when the time does not allow it */
  pause(tries: number, what: string, stop: AbortSignal): Promise<void>;
}

export function createTableCalls(retryBudget: RetryBudget): TableCalls {
  return {
    async call(what, attempt, before, stop) {
      try {
        return await retry(attempt, retryBudget, before, stop);
      } catch (error) {
        throw isLeaseError(error) ? error : new StateError(what, { cause: error });
      }
    },
    async pause(tries, what, stop) {
      const delay = backoff(tries, retryBudget.random);
      if (delay >= retryBudget.timeLeft()) throw new StateError(`${what} before the time budget ended`);
      await retryBudget.clock.sleep(delay, stop);
    },
  };
}
