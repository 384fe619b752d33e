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

test.each(LISTS)(
  'an API simulator that is built again accepts the cursors of %s and continues with the same rows',
  async list => {
    const before = clientOf(rebuilt());
    const { nextCursor: cursor } = await before.page(list, { limit: 20 });
    const after = clientOf(rebuilt([], START + 86_400_000));
    expect(await after.page(list, { cursor })).toEqual(await before.page(list, { cursor }));
  },
);

test.each(LISTS)('rows of %s keep their positions when changes follow', async list => {
  const { rows } = await clientOf(rebuilt()).walk(list);
  const { rows: known, nextCursor: cursor } = await clientOf(rebuilt()).page(list, { limit: rows.length - 1 });
  const changed = clientOf(rebuilt([{ at: START + 5_000, count: 90 }]));
  const { rows: later } = await changed.page(list, { cursor, limit: 500 });
  expect(later.length).toBeGreaterThan(5);
  for (const row of known) expect(later).not.toContainEqual(row);
});

test('the first change removes an asset that has threats, and the second restores another asset', async () => {
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

test('another seed results in other credentials and other rows', () => {
  const [one, other] = [5, 6].map(seed => rebuildSimulator({ ...RECIPE, seed }, () => START));
  expect(one!.account.clientSecret).not.toBe(other!.account.clientSecret);
  expect(one!.truth().assets).not.toEqual(other!.truth().assets);
});
