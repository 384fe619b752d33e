/**
 * The columns and texts of the views. Whether they give the truth, test/histories/histories.test.ts
 * proves with a history of each rule.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { oversizeLine, rowLine, withdrawnLine } from '../../../lambda/core/event.ts';
import { ASSETS, CONTEXT, DNS_BLOCKS, rowOf, THREATS } from '../../support/core/streams.ts';
import { type EventFields, envelope } from './support/event-lines.ts';
import { column, type LinesDatabase, openDuckDbLines } from './support/lines-database.ts';
import { IDS, PATHS, PATHS_ROW, ROWS, SCALARS, TIMES } from './support/special-texts.ts';

let database: LinesDatabase;
beforeAll(async () => {
  database = await openDuckDbLines();
});
afterAll(async () => database[Symbol.asyncDispose]());

/** Holds one event for each of these, in their order. */
async function hold(...events: readonly Omit<EventFields, 'sequence'>[]): Promise<void> {
  await database.hold(events.map((event, index) => envelope({ ...event, sequence: index + 1 })));
}

test('the views return rows as they were written', async () => {
  await hold(...ROWS.map(([id, row]) => ({ id, row })));
  for (const view of ['current_assets', 'changes']) {
    expect(await database.tuples(`select id, row from ${view} order by sequence`)).toEqual(ROWS);
  }
});

test('the views show ids unchanged, except for lone surrogates', async () => {
  await hold(...IDS.map(([id]) => ({ stream: 'threats', id, assetId: id, row: '1' }) as const));
  const shown = await database.tuples('select id, asset_id from current_threats order by sequence');
  expect(shown).toEqual(IDS.map(([, id]) => [id, id]));
});

test.each([
  ['in a row without other members', (value: string) => `{"a":${value}}`],
  [
    'in a row with texts that look like numbers',
    (value: string) => String.raw`{"\"":"\\","s":"x: 3.5, [1.5\"","a":${value},"n":[1.5,-0],"q\":":"\" : 7.5","":""}`,
  ],
  ['in a row with a lone surrogate', (value: string) => String.raw`{"lone":"\ud800 :4.5","a":${value}}`],
])('a scalar %s is extracted as it was written', async (_, rowWith) => {
  await hold(...SCALARS.map(([value]) => ({ id: value, row: rowWith(value) })));
  const sql = "select id, json_extract_scalar(row, '$.a') from current_assets order by sequence";
  expect(await database.tuples(sql)).toEqual(SCALARS);
});

test('a JSON path can reach members with any name', async () => {
  await hold({ row: PATHS_ROW });
  const columns = PATHS.map(([path], index) => `json_extract_scalar(row, '${path}') as c${index}`);
  const [found] = await database.tuples(`select ${columns.join()} from current_assets`);
  expect(PATHS.map(([path], index) => [path, found![index]])).toEqual(PATHS);
});

test('the views show times in UTC, to the millisecond', async () => {
  await hold(...TIMES.map(([time]) => ({ id: String(time), time, row: '1' })));
  const shown = await database.tuples('select id, updated_at from current_assets order by sequence');
  expect(shown).toEqual(TIMES.map(([time, utc]) => [String(time), utc]));
});

test('a stream_position that is a number keeps its digits', async () => {
  await database.hold([envelope({ sequence: 1, row: '1' }).replace('"7"', '99999999999999999.90')]);
  expect(await column(database, 'select stream_position from current_assets')).toEqual(['99999999999999999.90']);
});

test('event lines of an older version are read, although they lack members added since then', async () => {
  await database.hold([
    '{"event_id":"e1","sequence":"00000000000000000001","kind":"upsert","stream":"assets","id":"a","row":{"id":"a"}}',
  ]);
  expect(await database.rows('select id, forwarded_at, updated_at, row from current_assets')).toEqual([
    { id: 'a', forwarded_at: null, updated_at: null, row: '{"id":"a"}' },
  ]);
});

test('lines that are not events appear only in the table of lines', async () => {
  await database.hold(['', '{"event_id":', 'null', '[]', '{"a":1}', envelope({ sequence: 1, row: '1' })]);
  expect(await column(database, 'select cast(count(*) as integer) from events')).toEqual([1]);
  expect(await column(database, 'select cast(count(*) as integer) from lines')).toEqual([6]);
});

test('an event with a kind or format of a later release does not hide other events', async () => {
  const later = [
    envelope({ sequence: 2, id: ',"format":2', row: '2' }).replace('"upsert"', '"enriched"'),
    envelope({ sequence: 3, id: ',"format":2', row: '3' }).replace(',"row":', ',"format":2,"row":'),
  ];
  await database.hold([...later, envelope({ sequence: 1, id: ',"format":2', row: '{"a":1,"format":2}' })]);
  for (const view of ['events', 'current_assets']) {
    expect(await column(database, `select sequence from ${view}`)).toEqual(['00000000000000000001']);
  }
});

const DEAD_LETTER = 's3://bucket/dead-letter/a.json';

test.each<[name: string, event: Omit<EventFields, 'sequence'>, view: string, expected: object]>([
  [
    'a removed asset has the time of its removal',
    { kind: 'tombstone', time: '2026-11-20T09:14:03Z', row: '2' },
    'removed_assets',
    { removed_at: '2026-11-20 09:14:03' },
  ],
  [
    'an asset that was too large is shown with its dead letter',
    { kind: 'oversize', deadLetter: DEAD_LETTER },
    'current_assets',
    { row: null, dead_letter: DEAD_LETTER },
  ],
  [
    'an asset that the filter excludes has the reason filtered',
    { kind: 'withdrawn', reason: 'filtered' },
    'latest_events',
    { kind: 'withdrawn', reason: 'filtered' },
  ],
  [
    'a row with a member named reason has no reason',
    { row: '{"reason":"filtered"}' },
    'latest_events',
    { kind: 'upsert', reason: null },
  ],
])('%s', async (_, event, view, expected) => {
  await hold({ row: '1' }, event);
  expect(await database.rows(`select * from ${view}`)).toEqual([expect.objectContaining(expected)]);
});

test('a row that never changes appears once, with its latest event', async () => {
  const block = { stream: 'dns-blocks', kind: 'dns_block', row: '1', eventId: 'e' } as const;
  await hold(block, block);
  const sequences = ['00000000000000000002'];
  expect(await column(database, 'select sequence from dns_blocks')).toEqual(sequences);
  expect(await column(database, 'select sequence from latest_events')).toEqual(sequences);
});

describe('the view of changes', () => {
  const named = () => column(database, `select id || ' ' || change from changes order by sequence`);

  test('the view of changes says for each event how the row changed', async () => {
    await hold(
      { row: '1' },
      { row: '2' },
      { kind: 'tombstone', row: '3' },
      { row: '4' },
      { kind: 'oversize' },
      { stream: 'threats', id: 't', row: '1' },
      { stream: 'threats', id: 't', kind: 'withdrawn' },
      { stream: 'threats', id: 't', row: '1' },
      { stream: 'dns-blocks', id: 'd', kind: 'dns_block', row: '1' },
      { id: 'large', kind: 'oversize' },
    );
    const asset = ['a new', 'a changed', 'a removed', 'a restored', 'a changed'];
    const threat = ['t new', 't withdrawn', 't restored'];
    expect(await named()).toEqual([...asset, ...threat, 'd blocked', 'large new']);
  });

  test('the view of changes shows an event of two connectors once per connector', async () => {
    const sent = { row: '1', eventId: 'one' };
    await hold(sent, { ...sent, connector: 'other' });
    expect(await named()).toEqual(['a new', 'a new']);
  });

  test('the view of changes distinguishes repeated events from new events', async () => {
    const old = { row: '1', eventId: 'one', forwardedAt: '2026-11-01T00:00:00.000Z' };
    const forwardedAt = '2026-11-20T00:00:00.000Z';
    await hold(old, { ...old, forwardedAt }, { id: 'b', row: '1', forwardedAt });
    const since = (time: string) =>
      column(database, `select id from changes where ${time} > timestamp '2026-11-19 00:00:00' order by 1`);
    expect(await since('forwarded_at')).toEqual(['a', 'b']);
    expect(await since('first_forwarded_at')).toEqual(['b']);
  });
});

test('every member of an event that the connector writes has a column in the view of events', async () => {
  const time = '2026-11-20T09:14:03.250Z';
  const sequence = '00000010420000000001';
  const event = (stream: typeof ASSETS | typeof THREATS | typeof DNS_BLOCKS, members: string) => {
    return { row: rowOf(`{"id":"büro/1",${members}}`, stream), stream, sequence };
  };
  const threat = event(THREATS, `"updated_at":"${time}","asset_id":"a1","row":{"x":1.0}`);
  const subject = { id: 't1', time, position: '"p2"' };
  await database.hold([
    rowLine(event(ASSETS, `"updated_at":"${time}","dead_letter":"its own","n":9007199254740993`), CONTEXT),
    rowLine(event(ASSETS, `"updated_at":"${time}","deleted":true,"deleted_at":"${time}"`), CONTEXT),
    rowLine(threat, CONTEXT),
    oversizeLine(threat, CONTEXT, DEAD_LETTER),
    withdrawnLine({ stream: THREATS, sequence, subject, parent: 'a1' }, CONTEXT),
    rowLine(event(DNS_BLOCKS, `"blocked_at":"${time}"`), CONTEXT),
  ]);
  const shared = { sequence, connector: 'acme', time: '2026-11-20 09:14:03.25', dead_letter: null };
  expect(await database.rows('select * from events')).toMatchObject([
    { ...shared, kind: 'upsert', stream: 'assets', id: 'büro/1', asset_id: null },
    { ...shared, kind: 'tombstone', stream: 'assets' },
    { ...shared, kind: 'upsert', stream: 'threats', asset_id: 'a1' },
    { ...shared, kind: 'oversize', stream: 'threats', asset_id: 'a1', dead_letter: DEAD_LETTER },
    { ...shared, kind: 'withdrawn', stream: 'threats', asset_id: 'a1' },
    { ...shared, kind: 'dns_block', stream: 'dns-blocks' },
  ]);
});
