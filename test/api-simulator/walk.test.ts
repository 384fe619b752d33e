import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../local/api-simulator/random.ts';
import type { SimulatorOptions } from '../../local/api-simulator/simulator.ts';
import { randomChange } from '../../local/api-simulator/traffic.ts';
import { createTenant, type List, type Tenant } from './tenant.ts';

const LISTS: readonly List[] = ['assets', 'threats', 'dns-blocks'];

function tenantWithAssets(count: number, options: Partial<SimulatorOptions> = {}): Tenant {
  const tenant = createTenant(options);
  for (let index = 0; index < count; index++) tenant.simulator.put('assets', { id: `a${index}` });
  return tenant;
}

describe('the end of a stream', () => {
  test('full-page-null: the last rows come with a null cursor, and the cursor before them delivers them again', async () => {
    const { page } = tenantWithAssets(3);
    const first = await page('assets', { limit: 2 });
    const last = await page('assets', { limit: 2, cursor: first.nextCursor });
    expect([first.rows.length, last.rows.length, last.nextCursor]).toEqual([2, 1, null]);
    expect(await page('assets', { limit: 2, cursor: first.nextCursor })).toEqual(last);
  });

  test('empty-page-null: rows always come with a cursor, then an empty page with null', async () => {
    const { page } = tenantWithAssets(2, { endOfStream: 'empty-page-null' });
    const first = await page('assets', { limit: 2 });
    expect(first.nextCursor).not.toBeNull();
    expect(await page('assets', { cursor: first.nextCursor })).toEqual({ rows: [], nextCursor: null });
  });

  test('repeat-cursor: a caught-up poll gets its own cursor back', async () => {
    const { page } = tenantWithAssets(2, { endOfStream: 'repeat-cursor' });
    const { nextCursor } = await page('assets');
    expect(await page('assets', { cursor: nextCursor })).toEqual({ rows: [], nextCursor });
  });
});

test('retention latest keeps one row for each id at its newest position, and every-version also the older ones', async () => {
  for (const [retention, expected] of [
    ['latest', ['b', 'a']],
    ['every-version', ['a', 'b', 'a']],
  ] as const) {
    const { simulator, walk } = createTenant({ retention });
    for (const id of ['a', 'b', 'a']) simulator.put('assets', { id });
    expect((await walk('assets')).map(row => row.id)).toEqual(expected);
  }
});

test('with every version kept, a removal still hides all versions of the threats', async () => {
  const { simulator, walk } = createTenant({ retention: 'every-version' });
  simulator.put('assets', { id: 'a' });
  for (const severity of ['low', 'high']) simulator.put('threats', { id: 't', asset_id: 'a', severity });
  simulator.remove('assets', 'a');
  expect(await walk('threats')).toEqual([]);
  simulator.restore('assets', 'a');
  expect(await walk('threats')).toMatchObject([{ severity: 'high' }]);
});

test('very recent changes are withheld from lists and delivered later', async () => {
  const { simulator, clock, walk } = createTenant({ withholdMs: 5000 });
  simulator.put('assets', { id: 'a' });
  simulator.put('dns-blocks', { id: 'd' });
  expect([await walk('assets'), await walk('dns-blocks')]).toEqual([[], []]);
  clock.now += 5000;
  expect([await walk('assets'), await walk('dns-blocks')]).toMatchObject([[{ id: 'a' }], [{ id: 'd' }]]);
});

test('a batch that has been shown takes no more rows, and new rows are withheld whatever their position', async () => {
  const { simulator, clock, walk } = createTenant({ withholdMs: 5000, tieSize: 10 });
  simulator.put('assets', { id: 'old' });
  clock.now += 5000;
  for (let row = 0; row < 20; row++) simulator.put('assets', { id: `new-${row}` });
  expect(await walk('assets')).toMatchObject([{ id: 'old' }]);
});

test('short and empty pages with a cursor neither end a walk nor lose a row', async () => {
  const { walk, page } = tenantWithAssets(200, { shortPages: 0.5, emptyPages: 0.4 });
  expect((await walk('assets', 7)).map(row => row.id)).toEqual(Array.from({ length: 200 }, (_, index) => `a${index}`));
  const sizes = new Set<string>();
  let cursor: string | null = null;
  do {
    const next = await page('assets', { cursor, limit: 7 });
    if (next.nextCursor !== null) sizes.add(next.rows.length === 0 ? 'empty' : next.rows.length < 7 ? 'short' : 'full');
    cursor = next.nextCursor;
  } while (cursor !== null);
  expect(sizes).toEqual(new Set(['full', 'short', 'empty']));
});

test('a cursor stays valid while thousands of rows before and after it move', async () => {
  const { simulator, page, walk } = tenantWithAssets(3_000);
  const { nextCursor } = await page('assets', { limit: 500 });
  for (let index = 0; index < 2_000; index++) simulator.redeliver('assets', `a${index}`);
  const ids = (await walk('assets', 500, nextCursor)).map(row => row.id);
  const kept = Array.from({ length: 1_000 }, (_, index) => `a${2_000 + index}`);
  expect(ids).toEqual([...kept, ...Array.from({ length: 2_000 }, (_, index) => `a${index}`)]);
});

test('an empty page within a walk has another cursor than the one sent', async () => {
  const { page } = tenantWithAssets(3, { emptyPages: 0.99 });
  const first = await page('assets');
  const second = await page('assets', { cursor: first.nextCursor });
  expect(second.rows).toEqual([]);
  expect(second.nextCursor).not.toBe(first.nextCursor);
});

describe('DNS blocks', () => {
  test('DNS blocks are ordered by blocked_at, then by id, in whatever order they are added', async () => {
    const { simulator, walk } = createTenant();
    for (const [id, second] of [
      ['c', '02'],
      ['b', '01'],
      ['a', '02'],
      ['d', '00'],
    ]) {
      simulator.put('dns-blocks', { id, blocked_at: `2026-11-20T11:00:${second}Z` });
    }
    expect((await walk('dns-blocks', 1)).map(row => row.id)).toEqual(['d', 'b', 'a', 'c']);
  });

  test('DNS blocks are refused with a time that lists have passed, because they could never be delivered', async () => {
    const { simulator, walk } = createTenant();
    simulator.put('dns-blocks', { id: 'b' });
    await walk('dns-blocks');
    expect(() => simulator.put('dns-blocks', { id: 'x', blocked_at: '2026-01-01T00:00:00Z' })).toThrow(
      'Lists have passed',
    );
    simulator.put('dns-blocks', { id: 'a' });
    expect((await walk('dns-blocks')).map(row => row.id)).toEqual(['b', 'a']);
  });

  test('DNS blocks are immutable', () => {
    const { simulator } = createTenant();
    simulator.put('dns-blocks', { id: 'b' });
    expect(() => simulator.put('dns-blocks', { id: 'b' })).toThrow('immutable');
  });
});

/** The copy of a consumer that follows the rules, after reading on from its cursors. */
async function consume(
  tenant: Tenant,
  list: List,
  copy: Map<string, string>,
  cursor: string | null,
): Promise<string | null> {
  let saved = cursor;
  let next = cursor;
  do {
    const page = await tenant.page(list, { cursor: next, limit: 7 });
    for (const row of page.rows) copy.set(row.id, JSON.stringify(row));
    next = page.nextCursor;
    saved = next ?? saved;
  } while (next !== null);
  return saved;
}

test.each<[string, Partial<SimulatorOptions>]>([
  ['latest', {}],
  [
    'every version, ties, short and empty pages',
    { retention: 'every-version', tieSize: 5, shortPages: 0.3, emptyPages: 0.3 },
  ],
  ['withheld changes, empty last page', { withholdMs: 3000, tieSize: 3, endOfStream: 'empty-page-null' }],
])('a consumer that polls a changing API simulator ends up with the truth: %s', async (_, options) => {
  const tenant = createTenant(options);
  const { simulator, clock } = tenant;
  const random = createRandom(99);
  simulator.populate({ assets: 40, threats: 60, dnsBlocks: 40 });
  const copies = {
    assets: new Map<string, string>(),
    threats: new Map<string, string>(),
    'dns-blocks': new Map<string, string>(),
  };
  const cursors: Record<string, string | null> = {};
  for (let poll = 0; poll < 25; poll++) {
    for (let change = 0; change < 12; change++) randomChange(simulator, random);
    for (const list of LISTS) cursors[list] = await consume(tenant, list, copies[list], cursors[list] ?? null);
    clock.now += 1000;
  }
  clock.now += 10_000;
  for (const list of LISTS) await consume(tenant, list, copies[list], cursors[list] ?? null);
  const truth = simulator.truth();
  for (const list of LISTS) {
    const expected = new Map([...truth[list]].map(([id, row]) => [id, JSON.stringify(JSON.parse(row))]));
    const held = [...copies[list]].filter(([id]) => list !== 'threats' || expected.has(id));
    expect(new Map(held.sort())).toEqual(new Map([...expected].sort()));
  }
});
