/** Readers of the output who go away, as `head -1` does. */
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { deployment } from '../support/deployment.ts';

describe('a reader that goes away', () => {
  test.each(['stdout', 'stderr'] as const)('from %s keeps nothing from being done, and is no failure', async output => {
    await using each = await deployment();
    const { child, ended } = each.start(['run']);
    // What is read of a stream that the reader has closed is of no interest.
    ended.catch(() => undefined);
    const closed = once(child, 'close');
    child[output].destroy();
    expect(await closed).toEqual([0, null]);
    expect(each.stack.invocations).toEqual([{}]);
  });
});
