import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { oversizeLine, rowLine, withdrawnLine } from '../../../lambda/core/event.ts';
import { STREAMS } from '../../../lambda/streams.ts';
import { SQL_VIEWS } from '../../../local/query/views.ts';
import { ASSETS, CONTEXT, DNS_BLOCKS, rowOf, THREATS } from '../../support/core/streams.ts';
import { type EventFields, envelope } from './support/event-lines.ts';
import { column, type LinesDatabase, openDuckDbLines } from './support/lines-database.ts';

let database: LinesDatabase;
beforeAll(async () => {
  database = await openDuckDbLines();
});
afterAll(async () => database[Symbol.asyncDispose]());

test('every stream has its views', () => {
  const expected = STREAMS.flatMap(({ name, hasRowStates, tombstones }) => {
    const table = name.replaceAll('-', '_');
    return [hasRowStates ? `current_${table}` : table, ...(tombstones ? [`removed_${table}`] : [])];
  });
  const shared = ['events', 'latest_inventory', 'latest_blocks', 'latest_events', 'changes'];
  expect(SQL_VIEWS.map(({ name }) => name).sort()).toEqual([...shared, ...expected].sort());
});

test('latest_inventory leaves out exactly the streams without row states, which latest_blocks takes', () => {
  const immutable = STREAMS.filter(({ hasRowStates }) => !hasRowStates).map(({ name }) => `'${name}'`);
  const sqlOf = (view: string) => SQL_VIEWS.find(({ name }) => name === view)!.sql;
  expect(sqlOf('latest_inventory')).toContain(`where stream not in (${immutable.join(', ')})`);
  expect(sqlOf('latest_blocks')).toContain(`where stream in (${immutable.join(', ')})`);
});

const DEAD_LETTER = 's3://bucket/dead-letter/a.json';

/** The rows are numbered as their events are, and events need not arrive in the order of their sequences. */
const upsert = (sequence: number, change: Partial<EventFields> = {}): EventFields => {
  return { sequence, row: String(sequence), ...change };
};
const tombstone = (sequence: number, change: Partial<EventFields> = {}) =>
  upsert(sequence, { kind: 'tombstone', ...change });
const filtered = (sequence: number): EventFields => ({ sequence, kind: 'withdrawn', reason: 'filtered' });
const threat = (sequence: number) => upsert(sequence, { stream: 'threats', assetId: 'x' });
const withdrawn = (sequence: number): EventFields => ({ ...threat(sequence), kind: 'withdrawn', row: undefined });
const oversize = (stream: 'assets' | 'threats'): EventFields => {
  return { sequence: 2, stream, kind: 'oversize', deadLetter: DEAD_LETTER };
};
const block = (sequence: number): EventFields => {
  return { sequence, stream: 'dns-blocks', kind: 'dns_block', row: '1', eventId: 'e' };
};
const REMOVED_AT = { time: '2026-11-20T09:14:03Z' };

/** The rows of a view for the events of one id. */
const VIEW_CASES: readonly (readonly [name: string, events: EventFields[], view: string, expected: object[]])[] = [
  ['the greatest sequence wins', [upsert(3), upsert(12), upsert(5)], 'current_assets', [{ id: 'a', row: '12' }]],
  ['sequences compare by all their digits', [upsert(9), upsert(10)], 'current_assets', [{ row: '10' }]],
  ['a removed asset does not exist', [tombstone(2), upsert(1)], 'current_assets', []],
  [
    'a removed asset is among the removed',
    [tombstone(2, REMOVED_AT), upsert(1)],
    'removed_assets',
    [{ id: 'a', row: '2', removed_at: '2026-11-20 09:14:03' }],
  ],
  ['a restored asset exists', [tombstone(2), upsert(3)], 'current_assets', [{ row: '3' }]],
  ['a restored asset is not among the removed', [tombstone(2), upsert(3)], 'removed_assets', []],
  ['an asset that the filter excludes does not exist', [filtered(2), upsert(1)], 'current_assets', []],
  ['an asset that the filter excludes is not among the removed', [filtered(2), upsert(1)], 'removed_assets', []],
  [
    'an asset that the filter excludes has its reason among the latest',
    [filtered(2), upsert(1)],
    'latest_events',
    [{ kind: 'withdrawn', reason: 'filtered' }],
  ],
  ['an asset that the filter keeps again exists', [filtered(2), upsert(3)], 'current_assets', [{ row: '3' }]],
  [
    'a row that has a member of that name has no reason',
    [upsert(1, { row: '{"reason":"filtered"}' })],
    'latest_events',
    [{ kind: 'upsert', reason: null }],
  ],
  ['a withdrawn threat does not exist', [threat(1), withdrawn(2)], 'current_threats', []],
  ['a threat that came back exists', [threat(3), withdrawn(2)], 'current_threats', [{ row: '3', asset_id: 'x' }]],
  [
    'a row that was too large exists, and its dead letter is named',
    [upsert(1), oversize('assets')],
    'current_assets',
    [{ row: null, dead_letter: DEAD_LETTER }],
  ],
  [
    'a threat that was too large exists',
    [oversize('threats')],
    'current_threats',
    [{ row: null, dead_letter: DEAD_LETTER }],
  ],
  ['a repeat changes nothing', [upsert(1), upsert(1)], 'current_assets', [{ row: '1' }]],
  ['events of another stream do not count', [upsert(1), threat(2)], 'current_assets', [{ row: '1' }]],
  [
    'events of another connector do not count',
    [upsert(1), tombstone(2, { connector: 'other' })],
    'current_assets',
    [{ connector: 'acme', row: '1' }],
  ],
  [
    'a DNS block is there once',
    [block(1), block(4)],
    'dns_blocks',
    [{ id: 'a', row: '1', sequence: '00000000000000000004' }],
  ],
];

test.each(VIEW_CASES)('%s', async (_, events, view, expected) => {
  await database.hold(events.map(envelope));
  expect(await database.rows(`select * from ${view}`)).toEqual(expected.map(each => expect.objectContaining(each)));
});

test('an event of a kind or format that a later release may send is left out, and hides nothing', async () => {
  const later = [
    envelope({ sequence: 2, id: ',"format":2', row: '2' }).replace('"upsert"', '"enriched"'),
    envelope({ sequence: 3, id: ',"format":2', row: '3' }).replace(',"row":', ',"format":2,"row":'),
  ];
  await database.hold([...later, envelope({ sequence: 1, id: ',"format":2', row: '{"a":1,"format":2}' })]);
  const seen = async (view: string) => column(database, `select sequence from ${view} order by sequence`);
  const first = '00000000000000000001';
  expect(await seen('events')).toEqual([first]);
  expect(await seen('current_assets')).toEqual([first]);
});

test('latest_inventory and latest_blocks have one rule: they differ in which events they take', () => {
  const [inventory, blocks] = ['latest_inventory', 'latest_blocks'].map(name => {
    const lines = SQL_VIEWS.find(view => view.name === name)!.sql.split('\n');
    return lines.filter(line => !/^ *(--|where stream|create or replace view)/.test(line));
  });
  expect(inventory!.length).toBeGreaterThan(15);
  expect(blocks).toEqual(inventory);
});

test('latest_events holds the latest event of every id of every stream', async () => {
  const events: EventFields[] = [
    { sequence: 1, row: '1' },
    { sequence: 2, kind: 'tombstone', row: '2' },
    { sequence: 3, stream: 'threats', row: '3' },
    { sequence: 4, stream: 'dns-blocks', kind: 'dns_block', row: '4' },
    { sequence: 5, stream: 'dns-blocks', kind: 'dns_block', row: '4' },
  ];
  await database.hold(events.map(envelope));
  expect(await database.tuples('select stream, sequence from latest_events order by sequence')).toEqual([
    ['assets', '00000000000000000002'],
    ['threats', '00000000000000000003'],
    ['dns-blocks', '00000000000000000005'],
  ]);
});

const TIME = '2026-11-20T09:14:03.250Z';
const SEQUENCE = '00000010420000000001';

function rowEvent(stream: typeof ASSETS | typeof THREATS | typeof DNS_BLOCKS, members: string) {
  const row = rowOf(`{"id":"büro/1","stream_position":"p1",${members}}`, stream);
  return { row, stream, sequence: SEQUENCE };
}

const ASSET = rowEvent(ASSETS, `"updated_at":"${TIME}","dead_letter":"its own","n":9007199254740993`);
const THREAT = rowEvent(THREATS, `"updated_at":"${TIME}","asset_id":"a1","row":{"x":1.0}`);
const WITHDRAWAL = {
  stream: THREATS,
  sequence: SEQUENCE,
  subject: { id: 't1', time: TIME, position: '"p2"' },
  parent: 'a1',
};

test.each([
  ['an asset', 'upsert', rowLine(ASSET, CONTEXT), {}],
  ['a threat', 'upsert', rowLine(THREAT, CONTEXT), { asset_id: 'a1' }],
  [
    'a tombstone',
    'tombstone',
    rowLine(rowEvent(ASSETS, `"updated_at":"${TIME}","deleted":true,"deleted_at":"${TIME}"`), CONTEXT),
    {},
  ],
  ['a DNS block', 'dns_block', rowLine(rowEvent(DNS_BLOCKS, `"blocked_at":"${TIME}"`), CONTEXT), {}],
  [
    'an oversize threat',
    'oversize',
    oversizeLine(THREAT, CONTEXT, DEAD_LETTER),
    { asset_id: 'a1', dead_letter: DEAD_LETTER },
  ],
  ['a withdrawal', 'withdrawn', withdrawnLine(WITHDRAWAL, CONTEXT), { asset_id: 'a1' }],
])('%s as the connector writes it has its members in the columns of events', async (_, kind, line, members) => {
  await database.hold([line]);
  const time = '2026-11-20 09:14:03.25';
  const expected = { kind, sequence: SEQUENCE, connector: 'acme', time, dead_letter: null, ...members };
  expect(await database.rows('select * from events')).toEqual([expect.objectContaining(expected)]);
});
