/** Checks histories by the views that users get, on Athena's engine: their copy equals the platform's truth too. */
import { expect, test } from '@jest/globals';
import { check } from '../simulation/check.ts';
import { generate } from '../simulation/generate.ts';
import { ViewsCheck } from '../simulation/oracle/views.ts';
import { running } from './running.ts';
import { openTrinoLines } from './trino/trino-lines.ts';

/** Another set each day; `npm run simulation` replays a seed. */
const FIRST = Math.floor(Date.now() / 86_400_000) * 1_000;
const RUNS = 100;

test(`in ${RUNS} histories from seed ${FIRST} the copy by the views on Trino equals the truth`, async () => {
  const results = await Promise.all(Array.from({ length: RUNS }, async (_, index) => check(generate(FIRST + index))));
  await using views = new ViewsCheck(await openTrinoLines(running().trino!.url));
  const observations = results.map(({ observation }) => observation);
  // Only histories with removals and restorations prove something.
  for (const name of ['removals', 'restores', 'kills'] as const) {
    expect(observations.some(({ seen }) => seen[name] > 0)).toBe(true);
  }
  const breaches = await views.check(observations);
  expect(breaches.flatMap((each, index) => each.map(words => `seed ${FIRST + index}: ${words}`))).toEqual([]);
});
