import { inspect } from 'node:util';
import { expect } from '@jest/globals';

/**
 * Everything that an error could show in a log: messages, stacks, causes and other members, to any
 * depth.
 */
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

/**
 * Expects that a promise rejects with an error of this name, and that the error shows nothing of
 * the texts that a test has marked with "canary", because an error is logged.
 */
export async function expectRejection(
  promise: Promise<unknown>,
  name: string,
  message: string | RegExp = '',
): Promise<Error> {
  const error = await rejection(promise);
  expect(error.name).toBe(name);
  if (typeof message === 'string') expect(error.message).toContain(message);
  else expect(error.message).toMatch(message);
  expect(wordsOf(error)).not.toContain('canary');
  return error;
}
