/** Readers of the output that exit early, as `head -1` does. */
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { deployment } from '../support/deployment.ts';

describe('a reader that exits early', () => {
  test.each(['stdout', 'stderr'] as const)('from %s stops no work and causes no error', async output => {
    await using each = await deployment();
    const { child, ended } = each.start(['run']);
    // The output of the closed stream does not matter.
    ended.catch(() => undefined);
    const closed = once(child, 'close');
    child[output].destroy();
    expect(await closed).toEqual([0, null]);
    expect(each.stack.invocations).toEqual([{}]);
  });
});
