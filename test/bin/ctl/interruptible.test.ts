import { GetScheduleCommand, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { expect, test } from '@jest/globals';
import { AwsCallError, exitStatusOf, InterruptedError, RefusedError } from '../../../bin/ctl/errors.ts';
import { interruptible } from '../../../bin/ctl/interruptible.ts';

test('what only reads is cut off at Ctrl-C, what writes is not', async () => {
  const { signal } = new AbortController();
  const given: unknown[] = [];
  const client = interruptible({ send: async (...all: unknown[]) => void given.push(all[1]) }, signal);
  await client.send(new GetScheduleCommand({ Name: 'a' }));
  await client.send(new UpdateScheduleCommand({} as never));
  expect(given).toEqual([{ abortSignal: signal }, {}]);
});

test('a command exits with 2 when it was refused, with 130 at Ctrl-C, and with 1 at any other error', () => {
  const errors = [new RefusedError('no'), new InterruptedError('Ctrl-C'), new AwsCallError('a', 'b', 'c'), 'no error'];
  expect(errors.map(exitStatusOf)).toEqual([2, 130, 1, 1]);
});
