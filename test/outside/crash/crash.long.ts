import { expect, test } from '@jest/globals';
import { trial } from './trial.ts';

test('the SIEM’s copy equals the truth although processes are killed during their calls', async () => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const { breaches, counts, events } = await trial({ kills: 4, seed, traffic: 60 });
  expect({ seed, breaches, kills: counts.kills }).toEqual({ seed, breaches: [], kills: 4 });
  expect(events).toBeGreaterThanOrEqual(500);
});
