import { expect, test } from '@jest/globals';
import { createRandom } from '../../local/api-simulator/random.ts';
import { randomChange } from '../../local/api-simulator/traffic.ts';
import { createTenant } from './tenant.ts';

const MOST = { assets: 40, threats: 60, 'dns-blocks': 80 } as const;

test('random changes of a full stream neither empty it nor add mutable rows, and add few immutable rows', () => {
  const { simulator } = createTenant();
  simulator.populate({ assets: 20, threats: 30, dnsBlocks: 40 });
  const random = createRandom(1);
  for (let change = 0; change < 5_000; change++) randomChange(simulator, random, MOST);

  const { tenantData } = simulator;
  for (const name of ['assets', 'threats'] as const) {
    const { ids } = tenantData.streams[name];
    expect(ids).toHaveLength(MOST[name]);
    expect(ids.filter(id => tenantData.isLive(name, id)).length).toBeGreaterThan(MOST[name] / 2);
  }
  const blocks = tenantData.count('dns-blocks');
  expect(blocks).toBeGreaterThan(MOST['dns-blocks']);
  expect(blocks).toBeLessThan(5 * MOST['dns-blocks']);
});
