/** Readers of the output that exit early, as `head -1` does. */
import { expect, test } from '@jest/globals';
import { deployment } from '../support/deployment.ts';
import { processEndpoints } from '../support/process-endpoints.ts';
import { startProcess } from '../support/shell.ts';

test('a reader that closes stdout or stderr early neither stops the command nor causes an error', async () => {
  await using each = await deployment();
  await using endpoints = await processEndpoints(each);
  const { ended, stdout, stderr } = startProcess(['run'], endpoints);
  stdout.destroy();
  stderr.destroy();
  expect(await ended).toMatchObject({ status: 0 });
  expect(each.invocations).toEqual([{}]);
});
