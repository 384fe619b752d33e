import { expect, test } from '@jest/globals';
import type { StreamName } from '../../../lambda/streams.ts';
import { seedCountsIn } from '../../../local/api-simulator/seed.ts';
import type { ApiSimulator } from '../../../local/api-simulator/simulator.ts';
import { rebuildSimulator } from '../../../local/start/embedded-simulator.ts';
import type { TenantDataRecipe } from '../../../local/start/source.ts';
import { ApiClient } from '../../api-simulator/api-client.ts';
import { targetOf } from '../../api-simulator/tenant.ts';

const START = Date.UTC(2026, 0, 1);
const COUNTS = { ...seedCountsIn({}), assets: 60, threats: 90, dnsBlocks: 40 };
const RECIPE: TenantDataRecipe = { seed: 5, startedAt: START, ...COUNTS, changes: [] };

const LISTS: readonly StreamName[] = ['assets', 'threats', 'dns-blocks'];

const rebuilt = (changes: TenantDataRecipe['changes'] = [], now = START + 9_000) =>
  rebuildSimulator({ ...RECIPE, changes }, () => now);
const clientOf = (simulator: ApiSimulator) => new ApiClient(targetOf(simulator));

test.each(LISTS)('a rebuilt API simulator continues the list of %s after a cursor with the same rows', async list => {
  const before = clientOf(rebuilt());
  const { nextCursor: cursor } = await before.page(list, { limit: 20 });
  const after = clientOf(rebuilt([], START + 86_400_000));
  expect(await after.page(list, { cursor })).toEqual(await before.page(list, { cursor }));
});

test('the first random change removes an asset that has threats, and the second change restores another asset', async () => {
  const changes = [
    { at: START + 1_000, count: 1 },
    { at: START + 2_000, count: 2 },
  ];
  const one = rebuilt(changes.slice(0, 1));
  const removed = (await clientOf(one).walk('assets')).rows.at(-1)!;
  const [removedNext, restored] = (await clientOf(rebuilt(changes)).walk('assets')).rows.slice(-2);

  expect(removed).toMatchObject({ deleted: true });
  expect(one.truth().threats.size).toBeLessThan(rebuilt().truth().threats.size);
  expect(removedNext).toMatchObject({ deleted: true });
  expect(restored).toMatchObject({ id: removed['id'], deleted: false });
});
