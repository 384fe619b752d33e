import { expect, test } from '@jest/globals';
import { trial } from '../crash/trial.ts';
import { type Running, running } from './running.ts';
import { createRealm } from './support/realm.ts';

const KILLS = 6;

test('processes killed by SIGKILL during their calls, while the API simulator changes, leave a copy that equals the truth', async () => {
  const { keycloak, bundle } = running() as Required<Running>;
  await using issuer = await createRealm(keycloak);
  const seed = Math.floor(Math.random() * 1_000_000);
  const module = new URL(bundle.module);
  const { breaches, tally, events } = await trial({ kills: KILLS, seed, traffic: 30, issuer, module });
  expect({ seed, breaches, kills: tally.kills }).toEqual({ seed, breaches: [], kills: KILLS });
  expect(events).toBeGreaterThanOrEqual(500);
});
