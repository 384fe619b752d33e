import { createRandom, mixSeed } from '../platform/draw.ts';
import { liveOnce } from '../platform/life.ts';
import { createPlatform, type Platform } from '../platform/platform.ts';
import type { TenantDataRecipe } from './source.ts';

/**
 * The platform as its recipe says. Everything that is drawn comes from the seed and all of the past happens at recorded
 * times, before the first request, so the same recipe gives the same rows, positions, credentials and cursors.
 *
 * @param now milliseconds since the epoch, once the past is rebuilt
 */
export function rebuildPlatform(recipe: TenantDataRecipe, now: () => number): Platform {
  const { seed, startedAt, changes, assets, threats, dnsBlocks } = recipe;
  let past: number | undefined = startedAt;
  const platform = createPlatform({ clock: () => past ?? now(), random: createRandom(mixSeed(seed, 1)), seed });
  platform.populate({ assets, threats, dnsBlocks });
  for (const [index, { at, count }] of changes.entries()) {
    const random = createRandom(mixSeed(seed, 2 + index));
    for (let step = 0; step < count; step++) {
      past = at + step;
      change(platform, random, step);
    }
  }
  past = undefined;
  return platform;
}

/** The first two are not left to chance: what becomes of removed assets is what people want to see. */
function change(platform: Platform, random: () => number, step: number): void {
  if (step === 0 && removeAssetWithThreats(platform, random)) return;
  if (step === 1 && restoreAssetRemovedBefore(platform)) return;
  liveOnce(platform, random);
}

function removeAssetWithThreats(platform: Platform, random: () => number): boolean {
  const { threats } = platform.tenantData;
  const start = Math.floor(random() * threats.ids.length);
  for (let index = 0; index < threats.ids.length; index++) {
    const threat = threats.latest.get(threats.ids[(start + index) % threats.ids.length]!)!;
    if (platform.tenantData.isHidden(threat)) continue;
    platform.removeAsset(threat.assetId);
    return true;
  }
  return false;
}

/** The one removed last before the newest removal, so that a second round of changes brings back what the first took. */
function restoreAssetRemovedBefore(platform: Platform): boolean {
  const removed = [...platform.tenantData.assets.latest.values()].filter(asset => asset.deletedAt !== 0);
  const [, before] = removed.sort((one, other) => other.position - one.position);
  if (before) platform.restoreAsset(before.id);
  return before !== undefined;
}
