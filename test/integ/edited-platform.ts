import { createPlatform, type Platform } from '../../local/platform/platform.ts';
import { createRandom } from '../../local/platform/random.ts';

export interface Release {
  /** Of the tenant data, and of the key that signs tokens and cursors. */
  readonly seed: number;
  readonly clientSecret: string;
  /** 1: as populated; 2: changed since. */
  readonly release: number;
  readonly latencyMs: number;
}

/** The tenant data was made before this moment. */
const MOMENT = Date.parse('2026-01-01T00:00:00.000Z');
export const COUNTS = { assets: 300, threats: 300, dnsBlocks: 300 };

/**
 * A platform that is the same wherever it is made: instances of a function share no memory, so each makes it again from the
 * seed, and takes the tokens and cursors of the others. Only another release changes it.
 */
export function editedPlatform({ seed, clientSecret, release, latencyMs }: Release): Platform {
  let clock = () => MOMENT;
  const platform = createPlatform({ clock: () => clock(), random: createRandom(seed), seed, clientSecret, latencyMs });
  platform.populate(COUNTS);
  if (release > 1) change(platform);
  clock = Date.now;
  return platform;
}

/** A change, a removal with its threats, a new row. */
function change(platform: Platform): void {
  platform.put('assets', '{"id":"asset-1","n":9007199254740993,"f":1.0}');
  platform.remove('assets', 'asset-2');
  platform.put('threats', { id: 'new', asset_id: 'asset-1' });
}
