import { createPlatform, type Platform } from '../../local/platform/platform.ts';
import { createRandom } from '../../local/platform/random.ts';

export interface Tenant {
  /** Of the tenant data, and of the key that signs tokens and cursors. */
  readonly seed: number;
  readonly clientSecret: string;
}

/** The tenant data was made before this moment. */
const MOMENT = Date.parse('2026-01-01T00:00:00.000Z');
export const COUNTS = { assets: 300, threats: 300, dnsBlocks: 300 };

/**
 * A platform that is the same wherever it is made. Instances of a function share no memory: each makes the platform from the seed and accepts
 * the tokens and cursors of the others.
 */
export function givenPlatform({ seed, clientSecret }: Tenant): Platform {
  let clock = () => MOMENT;
  const platform = createPlatform({ clock: () => clock(), random: createRandom(seed), seed, clientSecret });
  platform.populate(COUNTS);
  clock = Date.now;
  return platform;
}
