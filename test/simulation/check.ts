/** Runs histories and checks what the SIEM received: one history, or a batch of them. */

import type { Rule } from '../support/siem.ts';
import { generate } from './generate.ts';
import type { History } from './history.ts';
import { emptyTally, type Observation, type Tally } from './oracle/observation.ts';
import { breachesOf } from './oracle/promise.ts';
import { ViewsCheck } from './oracle/views.ts';
import { shrink } from './shrink.ts';
import { type Mutation, simulate } from './simulate.ts';

export interface Variant extends Mutation {
  /** Which of two events the SIEM of this variant takes for the newer one. */
  readonly siem?: Rule;
}

export interface Result {
  readonly breaches: string[];
  readonly observation: Observation;
}

export async function check(history: History, variant: Variant = {}): Promise<Result> {
  const observation = await simulate(history, variant);
  return { observation, breaches: breachesOf(observation, variant.siem) };
}

/** What a developer needs to know of a failing seed: the breaches, and the shortest history that shows the first. */
export async function explain(seed: number): Promise<string> {
  await using views = await ViewsCheck.open();
  const breachesWith = async (history: History): Promise<string[]> => {
    const { breaches, observation } = await check(history);
    // Only where the first check finds nothing: a query takes as long as a history.
    return breaches.length > 0 ? breaches : (await views.check([observation]))[0]!;
  };
  const breaches = await breachesWith(generate(seed));
  const shortest = await shrink(generate(seed), async history => (await breachesWith(history))[0]);
  const steps = shortest.steps.map(step => `  ${JSON.stringify(step)}`).join('\n');
  const { seed: _, platform, steps: __, ...rest } = shortest;
  const setting = JSON.stringify({ ...platform, ...rest });
  return `Seed ${seed}:\n${breaches.slice(0, 5).join('\n')}\nShortest history, with ${setting}:\n${steps}`;
}

export interface Batch {
  /** First seed; the next ones follow it. */
  readonly from: number;
  readonly count: number;
}

export interface BatchResult {
  readonly count: number;
  readonly failedSeeds: readonly number[];
  readonly seen: Tally;
}

/** What must occur in a few hundred histories. Those in which nothing happens would prove nothing. */
const EVENTFUL: readonly (keyof Tally)[] = [
  'kills',
  'zombies',
  'overlaps',
  'faults',
  'removals',
  'restores',
  'leaseHeld',
  'wide',
  'massRemovals',
  'killsWhileWithdrawing',
  'stubborn',
  'thaws',
];

export function neverHappened(seen: Tally): readonly (keyof Tally)[] {
  return EVENTFUL.filter(name => seen[name] === 0);
}

export async function runBatch({ from, count }: Batch, views: ViewsCheck): Promise<BatchResult> {
  const seen = emptyTally();
  const failedSeeds = new Set<number>();
  const observations: Observation[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const { breaches, observation } = await check(generate(seed));
    for (const name of Object.keys(seen) as (keyof Tally)[]) seen[name] += observation.seen[name];
    if (breaches.length > 0) failedSeeds.add(seed);
    observations.push(observation);
  }
  for (const [index, breaches] of (await views.check(observations)).entries()) {
    if (breaches.length > 0) failedSeeds.add(from + index);
  }
  return { count, failedSeeds: [...failedSeeds], seen };
}
