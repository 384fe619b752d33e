/** The views return each row as it was written. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { envelope } from './support/event-lines.ts';
import { column, type LinesDatabase, openDuckDbLines } from './support/lines-database.ts';
import { IDS, PATHS, PATHS_ROW, ROWS, SCALARS, TIMES } from './support/special-texts.ts';

let database: LinesDatabase;
beforeAll(async () => {
  database = await openDuckDbLines();
});
afterAll(async () => database[Symbol.asyncDispose]());

describe('a row keeps', () => {
  test.each(ROWS)('%s', async (_what, row) => {
    await database.hold([envelope({ sequence: 1, row })]);
    expect(await column(database, 'select row from current_assets')).toEqual([row]);
    expect(await column(database, 'select row from changes')).toEqual([row]);
  });
});

test.each(IDS)('the id %j is shown as %j', async (id, shown) => {
  const event = { sequence: 1, stream: 'threats', id, assetId: id, row: '1' } as const;
  await database.hold([envelope(event)]);
  expect(await database.rows('select id, asset_id, row from current_threats')).toEqual([
    { id: shown, asset_id: shown, row: '1' },
  ]);
});

test.each([
  ['alone', (value: string) => `{"a":${value}}`],
  ['between white space', (value: string) => `{ "a" :\t${value} }`],
  [
    'beside texts that contain what looks like numbers',
    (value: string) => String.raw`{"\"":"\\","s":"x: 3.5, [1.5\"","a":${value},"n":[1.5,-0],"q\":":"\" : 7.5","":""}`,
  ],
  ['beside a lone surrogate', (value: string) => String.raw`{"lone":"\ud800 :4.5","a":${value}}`],
])('a scalar %s is taken out of a row as it is written', async (_, rowOf) => {
  await database.hold(SCALARS.map(([value], sequence) => envelope({ sequence, id: value, row: rowOf(value) })));
  const sql = "select id, json_extract_scalar(row, '$.a') from current_assets order by sequence";
  expect(await database.tuples(sql)).toEqual(SCALARS);
});

test('a path leads to members of every name', async () => {
  await database.hold([envelope({ sequence: 1, row: PATHS_ROW })]);
  const columns = PATHS.map(([path], index) => `json_extract_scalar(row, '${path}') as c${index}`);
  const [found] = await database.tuples(`select ${columns.join()} from current_assets`);
  expect(PATHS.map(([path], index) => [path, found![index]])).toEqual(PATHS);
});

test('a stream_position that is a number keeps its digits', async () => {
  await database.hold([envelope({ sequence: 1, row: '1' }).replace('"7"', '99999999999999999.90')]);
  expect(await column(database, 'select stream_position from current_assets')).toEqual(['99999999999999999.90']);
});

test.each(TIMES)('the time %j is %j in UTC, to the millisecond', async (time, utc) => {
  await database.hold([envelope({ sequence: 1, time, row: '1' })]);
  expect(await column(database, 'select updated_at from current_assets')).toEqual([utc]);
});

test('lines of an older version, which lack members added since, are read', async () => {
  await database.hold([
    '{"event_id":"e1","sequence":"00000000000000000001","kind":"upsert","stream":"assets","id":"a","row":{"id":"a"}}',
  ]);
  expect(await database.rows('select id, forwarded_at, updated_at, row from current_assets')).toEqual([
    { id: 'a', forwarded_at: null, updated_at: null, row: '{"id":"a"}' },
  ]);
});

test('lines that are not events are not in events, and stay in lines', async () => {
  await database.hold(['', '{"event_id":', 'null', '[]', '{"a":1}', envelope({ sequence: 1, row: '1' })]);
  expect(await column(database, 'select cast(count(*) as integer) from events')).toEqual([1]);
  expect(await column(database, 'select cast(count(*) as integer) from lines')).toEqual([6]);
});
