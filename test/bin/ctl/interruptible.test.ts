import { GetScheduleCommand, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { expect, test } from '@jest/globals';
import { interruptible } from '../../../bin/ctl/interruptible.ts';

test('what only reads is cut off at Ctrl-C, what writes is not', async () => {
  const { signal } = new AbortController();
  const given: unknown[] = [];
  const client = interruptible({ send: async (...all: unknown[]) => void given.push(all[1]) }, signal);
  await client.send(new GetScheduleCommand({ Name: 'a' }));
  await client.send(new UpdateScheduleCommand({} as never));
  expect(given).toEqual([{ abortSignal: signal }, {}]);
});
