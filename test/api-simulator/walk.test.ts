import { describe, expect, test } from '@jest/globals';
import type { StreamName } from '../../lambda/streams.ts';
import { createRandom } from '../../local/api-simulator/random.ts';
import type { SimulatorOptions } from '../../local/api-simulator/simulator.ts';
import { randomChange } from '../../local/api-simulator/traffic.ts';
import { createTenant, type Tenant } from './tenant.ts';

const LISTS: readonly StreamName[] = ['assets', 'threats', 'dns-blocks'];

function tenantWithAssets(count: number, options: Partial<SimulatorOptions> = {}): Tenant {
  const tenant = createTenant(options);
  for (let index = 0; index < count; index++) tenant.simulator.put('assets', { id: `a${index}` });
  return tenant;
}

describe('the end of a stream', () => {
  test('a stream that ends with full-page-null delivers its last rows again after the previous cursor', async () => {
    const { page } = tenantWithAssets(3);
    const first = await page('assets', { limit: 2 });
    const last = await page('assets', { limit: 2, cursor: first.nextCursor });
    expect(first.rows).toHaveLength(2);
    expect(last).toMatchObject({ rows: [{ id: 'a2' }], nextCursor: null });
    expect(await page('assets', { limit: 2, cursor: first.nextCursor })).toEqual(last);
  });

  test('a stream that ends with empty-page-null returns rows with a cursor, then an empty page with null', async () => {
    const { page } = tenantWithAssets(2, { endOfStream: 'empty-page-null' });
    const first = await page('assets', { limit: 2 });
    expect(first.nextCursor).not.toBeNull();
    expect(await page('assets', { cursor: first.nextCursor })).toMatchObject({ rows: [], nextCursor: null });
  });

  test('a stream that ends with repeat-cursor answers a poll after the last row with the same cursor', async () => {
    const { page } = tenantWithAssets(2, { endOfStream: 'repeat-cursor' });
    const { nextCursor } = await page('assets');
    expect(await page('assets', { cursor: nextCursor })).toMatchObject({ rows: [], nextCursor });
  });
});

test('a list that keeps every version hides all versions of the threats of a removed asset', async () => {
  const { simulator, walk } = createTenant({ retention: 'every-version' });
  simulator.put('assets', { id: 'a' });
  for (const severity of ['low', 'high']) simulator.put('threats', { id: 't', asset_id: 'a', severity });
  expect(await walk('threats')).toMatchObject([{ severity: 'low' }, { severity: 'high' }]);
  simulator.remove('assets', 'a');
  expect(await walk('threats')).toEqual([]);
  simulator.restore('assets', 'a');
  expect(await walk('threats')).toMatchObject([{ severity: 'high' }]);
});

test('very recent changes are withheld from lists and are delivered later', async () => {
  const { simulator, clock, walk } = createTenant({ withholdMs: 5000 });
  simulator.put('assets', { id: 'a' });
  simulator.put('dns-blocks', { id: 'd' });
  expect([await walk('assets'), await walk('dns-blocks')]).toEqual([[], []]);
  clock.now += 5000;
  expect([await walk('assets'), await walk('dns-blocks')]).toMatchObject([[{ id: 'a' }], [{ id: 'd' }]]);
});

test('a listed batch of rows does not grow, because new rows are withheld at every position', async () => {
  const { simulator, clock, walk } = createTenant({ withholdMs: 5000, tieSize: 10 });
  simulator.put('assets', { id: 'old' });
  clock.now += 5000;
  for (let row = 0; row < 20; row++) simulator.put('assets', { id: `new-${row}` });
  expect(await walk('assets')).toMatchObject([{ id: 'old' }]);
});

test('short or empty pages with a new cursor neither end a walk nor lose a row', async () => {
  const { ids } = tenantWithAssets(200, { shortPages: 0.5, emptyPages: 0.4 });
  expect(await ids('assets', { limit: 7 })).toEqual(Array.from({ length: 200 }, (_, index) => `a${index}`));
});

test('a cursor stays valid while thousands of rows before and after it move', async () => {
  const { simulator, page, ids } = tenantWithAssets(3_000);
  const { nextCursor } = await page('assets', { limit: 500 });
  for (let index = 0; index < 2_000; index++) simulator.redeliver('assets', `a${index}`);
  const kept = Array.from({ length: 1_000 }, (_, index) => `a${2_000 + index}`);
  const moved = Array.from({ length: 2_000 }, (_, index) => `a${index}`);
  expect(await ids('assets', { cursor: nextCursor, limit: 500 })).toEqual([...kept, ...moved]);
});

describe('DNS blocks', () => {
  test('DNS blocks are ordered by blocked_at and then by id, in whatever order they are added', async () => {
    const { simulator, ids } = createTenant();
    const seconds = { c: '02', b: '01', a: '02', d: '00' };
    for (const [id, second] of Object.entries(seconds)) {
      simulator.put('dns-blocks', { id, blocked_at: `2026-11-20T11:00:${second}Z` });
    }
    expect(await ids('dns-blocks', { limit: 1 })).toEqual(['d', 'b', 'a', 'c']);
  });

  test('DNS blocks older than the blocks already listed are refused, because they could never be delivered', async () => {
    const { simulator, ids } = createTenant();
    simulator.put('dns-blocks', { id: 'b' });
    await ids('dns-blocks');
    expect(() => simulator.put('dns-blocks', { id: 'x', blocked_at: '2026-01-01T00:00:00Z' })).toThrow(
      'Lists have passed',
    );
    simulator.put('dns-blocks', { id: 'a' });
    expect(await ids('dns-blocks')).toEqual(['b', 'a']);
  });

  test('DNS blocks cannot be changed', () => {
    const { simulator } = createTenant();
    simulator.put('dns-blocks', { id: 'b' });
    expect(() => simulator.put('dns-blocks', { id: 'b' })).toThrow('immutable');
  });
});

/** The copy of a list that a consumer keeps by the rules of the specification. */
class Consumer {
  readonly rows = new Map<unknown, string>();
  #cursor: string | null = null;

  async poll({ page }: Tenant, list: StreamName): Promise<void> {
    let next = this.#cursor;
    do {
      const { rows, nextCursor } = await page(list, { cursor: next, limit: 7 });
      for (const row of rows) this.rows.set(row['id'], JSON.stringify(row));
      next = nextCursor;
      this.#cursor = next ?? this.#cursor;
    } while (next !== null);
  }
}

test.each<[string, Partial<SimulatorOptions>]>([
  [
    'every version, ties, short and empty pages',
    { retention: 'every-version', tieSize: 5, shortPages: 0.3, emptyPages: 0.3 },
  ],
  ['withheld changes, empty last page', { withholdMs: 3000, tieSize: 3, endOfStream: 'empty-page-null' }],
])('a consumer that polls a changing API simulator ends with a copy of the truth: %s', async (_, options) => {
  const tenant = createTenant(options);
  const { simulator, clock } = tenant;
  const random = createRandom(99);
  simulator.populate({ assets: 40, threats: 60, dnsBlocks: 40 });
  const consumers = new Map(LISTS.map(list => [list, new Consumer()]));
  for (let poll = 0; poll < 25; poll++) {
    for (let change = 0; change < 12; change++) randomChange(simulator, random);
    for (const [list, consumer] of consumers) await consumer.poll(tenant, list);
    clock.now += 1000;
  }
  clock.now += 10_000;
  const truth = simulator.truth();
  for (const [list, consumer] of consumers) {
    await consumer.poll(tenant, list);
    const expected = new Map<unknown, string>();
    for (const [id, row] of truth[list]) expected.set(id, JSON.stringify(JSON.parse(row)));
    const held = [...consumer.rows].filter(([id]) => list !== 'threats' || expected.has(id));
    expect(new Map(held)).toEqual(expected);
  }
});
