import { describe, expect, test } from '@jest/globals';
import { explain, runBatch } from './check.ts';
import { generate } from './generate.ts';
import { ViewsCheck } from './oracle/views.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

/** Another set each day, the same all day: a failure names its seed, and `npm run simulation` replays it. */
const FIRST = Math.floor(Date.now() / 86_400_000) * 1_000;
/** `npm run check` has 400 more. */
const RUNS = 60;

describe('through every crash, fault and overlap the promise holds', () => {
  test(`in ${RUNS} histories from seed ${FIRST}`, async () => {
    await using views = await ViewsCheck.open();
    const { failedSeeds } = await runBatch({ from: FIRST, count: RUNS }, views);
    if (failedSeeds.length > 0) throw new Error(await explain(failedSeeds[0]!));
  });
});

describe('a history', () => {
  // 49, 278 and 382 are wide, 49 in warm containers; 443 has a short lease and few rows.
  test.each([3, 7, 12, 40, 49, 278, 382, 443])('replays exactly from its seed (%i)', async seed => {
    const [one, other] = [await simulate(generate(seed)), await simulate(generate(seed))];
    expect(one.events.length).toBeGreaterThan(0);
    expect(other.events).toEqual(one.events);
    expect(other.seen).toEqual(one.seen);
  });

  test('that fails shrinks to the few steps that matter', async () => {
    const history = generate(seedWithARemoval());
    const needsTwo = async ({ steps }: typeof history) => {
      const removes = steps.some(step => step.kind === 'change' && step.change.kind === 'remove');
      return removes && steps.some(step => step.kind === 'tick') ? 'a removal and a tick' : undefined;
    };
    expect(await needsTwo(history)).toBe('a removal and a tick');
    const { steps } = await shrink(history, needsTwo);
    expect(steps.map(step => step.kind).sort()).toEqual(['change', 'tick']);
  });
});

function seedWithARemoval(): number {
  for (let seed = 1; ; seed++) {
    if (generate(seed).steps.some(step => step.kind === 'change' && step.change.kind === 'remove')) return seed;
  }
}
