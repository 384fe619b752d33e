import { expect, test } from '@jest/globals';
import { check } from '../../support/promise.ts';
import { receive } from '../../support/siem.ts';
import { ports } from './support/ports.ts';

test('the copy of a SIEM that reads only the objects in its queue equals what the API would answer', async () => {
  await using each = await ports({ environment: { PAGE_LIMIT: '50' } });
  await using queue = await each.queue();
  const lines: string[] = [];
  const read = async (): Promise<number> => {
    const keys = await queue.read();
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) lines.push(...(await each.object(key)));
    return keys.length;
  };
  each.simulator.populate({ assets: 120, threats: 90, dnsBlocks: 60 });
  await each.run();
  expect(await read()).toBeGreaterThan(5);
  each.simulator.remove('assets', 'asset-2');
  each.simulator.put('assets', { id: 'asset-1', changed: true });
  await each.run([{}, {}]);
  expect(await read()).toBeGreaterThan(0);
  expect(await read()).toBe(0);
  const truth = [...each.simulator.truthText()].join('');
  const events = lines.map(line => receive(line, 0));
  const result = check({ events, truth, completedEpochs: new Set() });
  expect(result).toMatchObject({ breaches: [], repeats: 0, tombstones: 1 });
});
