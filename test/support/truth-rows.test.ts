import { expect, test } from '@jest/globals';
import { createPlatform } from '../../local/api-simulator/platform.ts';
import { truthRows } from './truth-rows.ts';

test('rows are cut out of the truth as they are written, whatever they hold', () => {
  const platform = createPlatform({ clock: () => 1_000, random: () => 0.5 });
  platform.populate({ assets: 200, threats: 200, dnsBlocks: 20 });
  platform.put('assets', '{"id":"}\\"{[,","n":9007199254740993,"f":1.0,"__proto__":{"a":[{}]},"":"\\\\"}');
  const { assets } = platform.truth();
  const truth = new Map(Object.entries(platform.truth()));
  expect(truthRows([...platform.truthText()].join(''))).toEqual(truth);
  expect(assets.size).toBe(201);
});
