import { createRandom, mixSeed } from '../api-simulator/random.ts';
import { seedCountsIn } from '../api-simulator/seed.ts';
import { type ApiSimulator, createSimulator } from '../api-simulator/simulator.ts';
import { randomChange } from '../api-simulator/traffic.ts';
import type { TenantDataRecipe } from './source.ts';

/**
 * Rebuilds the API simulator from its recipe. All randomness comes from the seed, and all past
 * changes have recorded times. Therefore the same recipe gives the same rows, positions,
 * credentials and cursors.
 *
 * @param now current time in milliseconds since 1970, which applies after the past is rebuilt
 */
export function rebuildSimulator(recipe: TenantDataRecipe, now: () => number): ApiSimulator {
  const { seed, startedAt, changes } = recipe;
  let past: number | undefined = startedAt;
  const simulator = createSimulator({ clock: () => past ?? now(), random: createRandom(mixSeed(seed, 1)), seed });
  simulator.populate(seedCountsIn(recipe));
  for (const [index, { at, count }] of changes.entries()) {
    const random = createRandom(mixSeed(seed, 2 + index));
    for (let step = 0; step < count; step++) {
      past = at + step;
      change(simulator, random, step);
    }
  }
  past = undefined;
  return simulator;
}

/**
 * Makes one change. The first two changes are fixed, to show the effects of a removed and of a
 * restored asset. All further changes are random.
 */
function change(simulator: ApiSimulator, random: () => number, step: number): void {
  if (step === 0 && removeAssetWithThreats(simulator, random)) return;
  if (step === 1 && restoreAssetRemovedBefore(simulator)) return;
  randomChange(simulator, random);
}

function removeAssetWithThreats(simulator: ApiSimulator, random: () => number): boolean {
  const { threats } = simulator.tenantData.streams;
  const start = Math.floor(random() * threats.ids.length);
  for (let index = 0; index < threats.ids.length; index++) {
    const threat = threats.latest.get(threats.ids[(start + index) % threats.ids.length]!)!;
    if (simulator.tenantData.isHidden('threats', threat)) continue;
    simulator.remove('assets', threat.parentId);
    return true;
  }
  return false;
}

/**
 * Restores the asset that was removed before the last removal, so that a second round of changes
 * restores the asset that the first round removed.
 */
function restoreAssetRemovedBefore(simulator: ApiSimulator): boolean {
  const removed = [...simulator.tenantData.streams.assets.latest.values()].filter(asset => asset.deletedAt !== 0);
  const [, before] = removed.sort((one, other) => other.position - one.position);
  if (before) simulator.restore('assets', before.id);
  return before !== undefined;
}
