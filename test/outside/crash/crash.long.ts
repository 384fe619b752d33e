import { expect, test } from '@jest/globals';
import { trial } from './trial.ts';

test('processes killed by SIGKILL during their work, while the API simulator changes, leave a copy that equals the truth', async () => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const { breaches, tally, events } = await trial({ kills: 3, seed, traffic: 60 });
  expect({ seed, breaches, kills: tally.kills }).toEqual({ seed, breaches: [], kills: 3 });
  expect(events).toBeGreaterThanOrEqual(500);
});
