/** One history from its seed to the verdict. */
import { generate } from './generate.ts';
import type { History } from './history.ts';
import { breachesOf } from './oracle/judge.ts';
import type { Observation } from './oracle/observation.ts';
import type { Rule } from './oracle/siem.ts';
import { ViewsCheck } from './oracle/views.ts';
import { shrink } from './shrink.ts';
import { type Mutation, simulate } from './simulate.ts';

export interface Variant extends Mutation {
  /** How the SIEM of this variant tells the newer event. */
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

/** What a developer needs to see of a failing seed: the breaches, and the shortest history that shows the first. */
export async function explain(seed: number): Promise<string> {
  await using views = await ViewsCheck.open();
  const breachesWith = async (history: History): Promise<string[]> => {
    const { breaches, observation } = await check(history);
    // Only where the first judge is silent: a query takes as long as a history does.
    return breaches.length > 0 ? breaches : (await views.check([observation]))[0]!;
  };
  const breaches = await breachesWith(generate(seed));
  const shortest = await shrink(generate(seed), async history => (await breachesWith(history))[0]);
  const steps = shortest.steps.map(step => `  ${JSON.stringify(step)}`).join('\n');
  const { seed: _, platform, steps: __, ...rest } = shortest;
  const setting = JSON.stringify({ ...platform, ...rest });
  return `Seed ${seed}:\n${breaches.slice(0, 5).join('\n')}\nShortest history, with ${setting}:\n${steps}`;
}
