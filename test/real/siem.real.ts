import { expect, test } from '@jest/globals';
import { receive } from '../histories/oracle/siem.ts';
import { judge } from '../sigkill/judge.ts';
import { world } from './support/world.ts';

test('a SIEM that reads the objects which its queue announces, and no others, has what the API would answer', async () => {
  await using each = await world({ environment: { PAGE_LIMIT: '50' } });
  await using queue = await each.queue();
  const lines: string[] = [];
  const read = async (): Promise<number> => {
    const keys = await queue.read();
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) lines.push(...(await each.object(key)));
    return keys.length;
  };
  each.platform.populate({ assets: 120, threats: 90, dnsBlocks: 60 });
  await each.run();
  expect(await read()).toBeGreaterThan(5);
  each.platform.removeAsset('asset-2');
  each.platform.putAsset({ id: 'asset-1', changed: true });
  await each.run([{}, {}]);
  expect(await read()).toBeGreaterThan(0);
  expect(await read()).toBe(0);
  const truth = [...each.platform.truthText()].join('');
  const events = lines.map(line => receive(line, 0));
  const verdict = judge({ events, truth, completedEpochs: new Set() });
  expect(verdict).toMatchObject({ breaches: [], repeats: 0, tombstones: 1 });
});
