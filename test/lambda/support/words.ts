import './one-realm.ts';
import { inspect } from 'node:util';

/** Everything that an error could tell a log: messages, stacks, causes and members of their own, to any depth. */
export function wordsOf(error: unknown): string {
  return inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });
}

/** What a promise rejects with; fails when it does not reject. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error('It was to reject with an error, and did not');
}
