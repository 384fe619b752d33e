import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { pacedTime } from '../../../local/demo/paced-time.ts';

test('waits end in the order of their times, and the clock shows the time of each when it ends', async () => {
  using time = pacedTime({ start: 0, minuteTakes: 50 });
  const ended: (readonly [string, number])[] = [];
  const wait = async (name: string, milliseconds: number) => {
    await time.forFunction.sleep(milliseconds);
    ended.push([name, time.clock.now()]);
  };
  await Promise.all([wait('second', 40_000), wait('first', 20_000), wait('third', 90_000)]);
  expect(ended).toEqual([
    ['first', 20_000],
    ['second', 40_000],
    ['third', 90_000],
  ]);
});

test('time stops while a call of the function is pending, so that no time limit passes', async () => {
  using time = pacedTime({ start: 0, minuteTakes: 50 });
  const answered = Promise.withResolvers<string>();
  const call = time.watch({ send: () => answered.promise }).send('a command');
  const before = time.clock.now();
  const limit = time.forFunction.sleep(1_000).then(() => 'limit');
  // Enough time for the clock to advance if it were running.
  for (let turns = 0; turns < 2_000; turns++) await turn();
  expect(time.clock.now()).toBe(before);
  answered.resolve('answer');
  expect(await Promise.race([call, limit])).toBe('answer');
  expect(await limit).toBe('limit');
});

test('an aborted wait rejects with the reason', async () => {
  using time = pacedTime({ start: 0, minuteTakes: 50 });
  const aborted = new AbortController();
  const wait = time.forFunction.sleep(3_600_000, aborted.signal);
  aborted.abort(new Error('The lease was lost.'));
  await expect(wait).rejects.toThrow('The lease was lost.');
});
