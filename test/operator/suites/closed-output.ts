/** Readers of the output that exit early, as `head -1` does. */
import { expect, test } from '@jest/globals';
import { deployment } from '../support/deployment.ts';

test('a reader that exits early, from stdout or stderr, stops no work and causes no error', async () => {
  await using each = await deployment();
  const { ended, stdout, stderr } = each.startProcess(['run']);
  stdout.destroy();
  stderr.destroy();
  expect(await ended).toMatchObject({ status: 0 });
  expect(each.stack.invocations).toEqual([{}]);
});
