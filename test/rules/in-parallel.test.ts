import { describe, expect, test } from '@jest/globals';
import { inParallel } from '../../lambda/core/in-parallel.ts';

describe('tasks in parallel', () => {
  test('tasks in parallel return their results in the order of the items', async () => {
    const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const results = inParallel([0, 1], index => gates[index]!.promise);
    gates[1]!.resolve('second');
    gates[0]!.resolve('first');
    expect(await results).toEqual(['first', 'second']);
  });

  test('parallel tasks reject after all tasks have ended, with the error of the first failed task', async () => {
    const slow = Promise.withResolvers<void>();
    const ended: string[] = [];
    const failing = inParallel(['slow', 'fast'], async name => {
      if (name === 'slow') await slow.promise;
      ended.push(name);
      throw new Error(name);
    }).catch((error: Error) => ended.push(`rejected with ${error.message}`));
    await new Promise(setImmediate);
    expect(ended).toEqual(['fast']);
    slow.resolve();
    await failing;
    expect(ended).toEqual(['fast', 'slow', 'rejected with fast']);
  });

  test('tasks in parallel learn from a signal that another task has failed', async () => {
    const signals: AbortSignal[] = [];
    await inParallel([1, 2], async (item, stop) => {
      signals.push(stop);
      if (item === 2) throw new Error('refused');
    }).catch(() => undefined);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
