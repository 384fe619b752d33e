import { describe, expect, test } from '@jest/globals';
import * as errors from '../../lambda/core/errors.ts';
import { publicError } from '../../lambda/core/public-error.ts';
import { wordsOf } from '../support/function/rejection.ts';

type ErrorClass = new (...words: unknown[]) => Error;

/** Not thrown to the handler: a page that is not JSON is a ContractError. */
const INTERNAL = ['JsonError'];
const CLASSES = Object.entries(errors).filter(([name]) => /Error$/.test(name) && !INTERNAL.includes(name));

function made(name: string, type: unknown): Error {
  const each = type as ErrorClass;
  return name === 'StreamsFailedError'
    ? new each(new Map([['assets', new errors.StateError('answer')]]), 3)
    : new each('a', 'b', 'c');
}

test.each(CLASSES)(
  'the message of %s says that no data is lost or changed, because operators need to know it',
  (name, type) => {
    expect(made(name, type).message).toMatch(/\b[Nn]othing (?:is lost|changed)\b/);
    expect(made(name, type).name).toBe(name);
  },
);

describe('an error that leaves the function', () => {
  const foreign = (message: string, members: object = {}) =>
    Object.assign(new Error(message), { $response: { body: 'canary' }, ...members });
  const depthOf = (error: unknown): number => (error instanceof Error ? 1 + depthOf(error.cause) : 0);

  test.each([
    ['a text', 'canary'],
    ['an object', { message: 'canary' }],
    ['an error of a third-party library', foreign('canary')],
  ])('a StateError does not reveal the text of its cause: %s', (_what, cause) => {
    const own = new errors.StateError('answer', { cause });
    expect(publicError(own)).toBe(own);
    expect(wordsOf(own)).not.toContain('canary');
    expect(own.cause instanceof Error).toBe(cause instanceof Error);
  });

  test('a cause that is not an error object is dropped', () => {
    expect('cause' in publicError(new Error('x', { cause: 'canary' }))).toBe(false);
    expect('cause' in publicError(new errors.StateError('answer', { cause: 7 }))).toBe(false);
  });

  test('a chain of causes is cut off after the sixth error', () => {
    const chain = (length: number): Error =>
      length === 0 ? foreign('canary') : new errors.StateError('answer', { cause: chain(length - 1) });
    expect(depthOf(publicError(chain(4)))).toBe(5);
    expect(depthOf(publicError(chain(5)))).toBe(6);
    const long = publicError(chain(9));
    expect(depthOf(long)).toBe(6);
    expect(wordsOf(long)).not.toContain('canary');
    const circle = foreign('canary');
    circle.cause = circle;
    expect(depthOf(publicError(circle))).toBe(6);
  });

  test('the failures of the streams do not reveal the text of their causes', () => {
    const failure = new errors.DeliveryError('it refuses', { cause: foreign('canary') });
    const all = publicError(new errors.StreamsFailedError(new Map([['assets', failure]]), 3));
    expect(wordsOf(all)).not.toContain('canary');
    expect(wordsOf(all)).toContain('DeliveryError');
  });

  test('a third-party error is reported with its stack frames, but without its message', () => {
    const error = foreign('broken\n    at canary');
    const kept = publicError(error).stack ?? '';
    expect(kept).toMatch(/\n {4}at /);
    expect(kept).not.toContain('canary');
    error.message = 'changed after the stack was written';
    expect(publicError(error).stack).not.toContain('canary');
  });

  test('a thrown value that is not an error is reported without its content', () => {
    expect(publicError('canary').message).toBe('Something that is not an error was thrown');
  });

  test.each<[object, string]>([
    [{ name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } }, 'AccessDeniedException: HTTP 400'],
    [{ name: 'canary name' }, 'Error: its details are not shown'],
    [{ code: 'ECONNRESET' }, 'Error: its details are not shown'],
  ])('the third-party error %j is reported as %j', (members, expected) => {
    const left = publicError(foreign('canary', members));
    expect(String(left)).toBe(expected);
    expect(wordsOf(left)).not.toContain('canary');
    expect((left as { code?: string }).code).toBe((members as { code?: string }).code);
  });
});
