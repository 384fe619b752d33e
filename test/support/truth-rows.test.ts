import { expect, test } from '@jest/globals';
import { createSimulator } from '../../local/api-simulator/simulator.ts';
import { truthRows } from './truth-rows.ts';

test('rows are cut out of the truth as they are written, whatever they hold', () => {
  const simulator = createSimulator({ clock: () => 1_000, random: () => 0.5 });
  simulator.populate({ assets: 200, threats: 200, dnsBlocks: 20 });
  simulator.put('assets', '{"id":"}\\"{[,","n":9007199254740993,"f":1.0,"__proto__":{"a":[{}]},"":"\\\\"}');
  const { assets } = simulator.truth();
  const truth = new Map(Object.entries(simulator.truth()));
  expect(truthRows([...simulator.truthText()].join(''))).toEqual(truth);
  expect(assets.size).toBe(201);
});
