import type { Variant } from '../check.ts';

/** A rule broken on purpose: a switch in the test only, which the histories must notice. */
export interface Mutant {
  /** The rule that it breaks, in the words of docs/architecture.md. */
  readonly rule: string;
  /** What a careless implementation would do. */
  readonly breakage: string;
  /** Seed of a history that notices it, where the first one to do so comes late: spares the daily run the way there. */
  readonly caughtAt?: number;
  /** Made anew for each history, since some remember. */
  readonly variant: () => Variant;
}
