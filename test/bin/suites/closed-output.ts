/** Readers of the output that exit early, as `head -1` does. */
import { describe, expect, test } from '@jest/globals';
import { deployment } from '../support/deployment.ts';

describe('a reader that exits early', () => {
  test.each(['stdout', 'stderr'] as const)('from %s stops no work and causes no error', async output => {
    await using each = await deployment();
    const { ended, [output]: closed } = each.startProcess(['run']);
    closed.destroy();
    expect(await ended).toMatchObject({ status: 0 });
    expect(each.stack.invocations).toEqual([{}]);
  });
});
