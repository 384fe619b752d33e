import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../local/api-simulator/random.ts';
import type { ApiSimulator } from '../../local/api-simulator/simulator.ts';
import { randomChange } from '../../local/api-simulator/traffic.ts';
import { createTenant } from './tenant.ts';

const MOST = { assets: 40, threats: 60, 'dns-blocks': 80 } as const;
const CHANGES = 5_000;

function changed(most?: typeof MOST): ApiSimulator {
  const { simulator } = createTenant();
  simulator.populate({ assets: 20, threats: 30, dnsBlocks: 40 });
  const random = createRandom(1);
  for (let change = 0; change < CHANGES; change++) randomChange(simulator, random, most);
  return simulator;
}

function rowsOf({ tenantData }: ApiSimulator) {
  const { assets, threats, 'dns-blocks': blocks } = tenantData.streams;
  return { assets: assets.ids.length, threats: threats.ids.length, 'dns-blocks': blocks.ids.size };
}

describe('random changes', () => {
  test('random changes add rows endlessly when their number is not limited', () => {
    const { assets, threats, 'dns-blocks': blocks } = rowsOf(changed());
    expect(assets).toBeGreaterThan(5 * MOST.assets);
    expect(threats).toBeGreaterThan(5 * MOST.threats);
    expect(blocks).toBeGreaterThan(5 * MOST['dns-blocks']);
  });

  test('random changes neither add rows to a full stream of mutable rows nor empty the stream', () => {
    const simulator = changed(MOST);
    const { assets, threats } = rowsOf(simulator);
    expect({ assets, threats }).toEqual({ assets: MOST.assets, threats: MOST.threats });
    const { tenantData } = simulator;
    const live = (name: 'assets' | 'threats') =>
      tenantData.streams[name].ids.filter(id => tenantData.isLive(name, id)).length;
    expect(live('assets')).toBeGreaterThan(MOST.assets / 2);
    expect(live('threats')).toBeGreaterThan(MOST.threats / 2);
  });

  test('random changes add a tenth of the rows to a full stream of immutable rows', () => {
    const unbounded = rowsOf(changed())['dns-blocks'] - 40;
    const bounded = rowsOf(changed(MOST))['dns-blocks'] - MOST['dns-blocks'];
    expect(bounded / unbounded).toBeGreaterThan(0.05);
    expect(bounded / unbounded).toBeLessThan(0.15);
  });
});
