import { inspect } from 'node:util';

/** Everything that an error could show in a log: messages, stacks, causes and other members, to any depth. */
export function wordsOf(error: unknown): string {
  return inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });
}

/** The error with which a promise rejects. Throws when it does not reject. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error('The promise did not reject with an error');
}
