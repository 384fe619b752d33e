import { check, type Variant } from '../check.ts';
import { generate } from '../generate.ts';

/** A rule broken on purpose: a switch in the test only, which the histories must notice. */
export interface Mutant {
  /** The rule that it breaks, in the words of docs/architecture.md. */
  readonly rule: string;
  /** What a careless implementation would do. */
  readonly breakage: string;
  /** Seed of a history that notices it, where the first one to do so comes late: spares the daily run the way there. */
  readonly caughtAt?: number;
  /** Made again for each history, since some keep state. */
  readonly variant: () => Variant;
}

export interface Catch {
  /** Histories until one noticed; absent: none did. */
  readonly histories?: number;
  readonly seed?: number;
  readonly breach?: string;
}

/** Runs histories from `seed` on until one breaches the promise. */
export async function hunt(mutant: Mutant, seed: number, limit: number): Promise<Catch> {
  for (let histories = 1; histories <= limit; histories++) {
    const at = seed + histories - 1;
    const [breach] = await breachesOf(mutant, at);
    if (breach) return { histories, seed: at, breach };
  }
  return {};
}

async function breachesOf(mutant: Mutant, seed: number): Promise<string[]> {
  try {
    return (await check(generate(seed), mutant.variant())).breaches;
  } catch (error) {
    return [`The simulation broke down: ${error instanceof Error ? error.message : error}`];
  }
}
