import { expect, test } from '@jest/globals';
import { seedCountsIn } from '../../../local/api-simulator/seed.ts';
import type { ApiSimulator } from '../../../local/api-simulator/simulator.ts';
import { rebuildSimulator } from '../../../local/start/embedded-simulator.ts';
import type { TenantDataRecipe } from '../../../local/start/source.ts';

const START = Date.UTC(2026, 0, 1);
const COUNTS = { ...seedCountsIn({}), assets: 60, threats: 90, dnsBlocks: 40 };
const RECIPE: TenantDataRecipe = { seed: 5, startedAt: START, ...COUNTS, changes: [] };

interface ListBody {
  readonly data: { readonly id: string; readonly deleted?: boolean; readonly asset_id?: string }[];
  readonly pagination: { readonly next_cursor: string | null };
}

async function list(simulator: ApiSimulator, path: string, query: Record<string, string>): Promise<ListBody> {
  const { clientId, clientSecret } = simulator.account;
  const basic = `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`;
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const granted = await simulator.fetch(
    new Request(`http://host${simulator.tokenPath}`, { method: 'POST', headers: { authorization: basic }, body }),
  );
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  const response = await simulator.fetch(new Request(`http://host${path}?${new URLSearchParams(query)}`, { headers }));
  expect(response.status).toBe(200);
  return (await response.json()) as ListBody;
}

test.each(['/v1/assets', '/v1/threats', '/v1/dns-blocks'])(
  'an API simulator that is rebuilt later accepts the cursors of %s and continues with the same rows',
  async path => {
    const before = rebuildSimulator(RECIPE, () => START + 1_000);
    const { pagination } = await list(before, path, { limit: '20' });
    const query = { limit: '20', cursor: pagination.next_cursor! };
    const after = rebuildSimulator(RECIPE, () => START + 86_400_000);
    expect(await list(after, path, query)).toEqual(await list(before, path, query));
  },
);

test.each(['/v1/assets', '/v1/threats', '/v1/dns-blocks'])(
  'what %s offered before the changes keeps its place, and the changes come after it',
  async path => {
    const before = rebuildSimulator(RECIPE, () => START);
    const first = await list(before, path, { limit: '500' });
    const half = await list(before, path, { limit: String(first.data.length - 1) });
    const changed = rebuildSimulator({ ...RECIPE, changes: [{ at: START + 5_000, count: 90 }] }, () => START + 9_000);
    const later = await list(changed, path, { limit: '500', cursor: half.pagination.next_cursor! });
    const known = new Set(half.data.map(row => JSON.stringify(row)));
    expect(later.data.length).toBeGreaterThan(5);
    expect(later.data.filter(row => known.has(JSON.stringify(row)))).toEqual([]);
  },
);

test('the first change removes an asset that has threats, the second restores the one removed before', async () => {
  const round = (changes: TenantDataRecipe['changes']) => rebuildSimulator({ ...RECIPE, changes }, () => START + 9_000);
  const one = round([{ at: START + 1_000, count: 1 }]);
  const two = round([
    { at: START + 1_000, count: 1 },
    { at: START + 2_000, count: 2 },
  ]);
  const ofRemoved = (simulator: ApiSimulator) => simulator.truth().threats.size;
  const untouched = rebuildSimulator(RECIPE, () => START);
  const removed = (await list(one, '/v1/assets', { limit: '500' })).data.at(-1)!;
  const [removedNext, restored] = (await list(two, '/v1/assets', { limit: '500' })).data.slice(-2);

  expect(removed.deleted).toBe(true);
  expect(ofRemoved(one)).toBeLessThan(ofRemoved(untouched));
  expect(removedNext!.deleted).toBe(true);
  expect(restored).toMatchObject({ id: removed.id, deleted: false });
});

test('another seed gives other credentials and other rows', () => {
  const [one, other] = [5, 6].map(seed => rebuildSimulator({ ...RECIPE, seed }, () => START));
  expect(one!.account.clientSecret).not.toBe(other!.account.clientSecret);
  expect(one!.truth().assets).not.toEqual(other!.truth().assets);
});
