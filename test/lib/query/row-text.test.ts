/** The views return each row as it was written. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { envelope } from './support/event-lines.ts';
import { column, type LinesDatabase, openLinesDatabase } from './support/lines-database.ts';

let database: LinesDatabase;
beforeAll(async () => {
  database = await openLinesDatabase();
});
afterAll(async () => database[Symbol.asyncDispose]());

const ROWS: readonly (readonly [what: string, row: string])[] = [
  ['integers beyond 2^53', '{"id":"a","n":9007199254740993,"m":123456789012345678901234567890}'],
  ['the form of numbers', '{"id":"a","n":[1.0,1e2,-0,0.1000,1E-400]}'],
  ['members of every name', '{"__proto__":{"id":1},"constructor":2,"row":{"row":3},"event_id":"x","class_uid":5001}'],
  ['text that looks like the end of the head', String.raw`{"id":",\"row\":{}","x":",\"id\":\""}`],
  ['escapes as they are written', String.raw`{"id":"\u0041\/\u0000\ud800\uDFFF\ud83d\ude00\\u0041"}`],
  ['wide characters', '{"id":"😀\u2028\u2029\u0085é","\u{1f680}":"𝄞"}'],
  ['white space', '{ "id" :\t"a" ,  "b":[ ] }'],
  ['a name that occurs twice', '{"id":"a","id":"b"}'],
  ['an empty row', '{}'],
  ['a row of 1,000 KiB', `{"id":"a","text":"${'é"'.replaceAll('"', '\\"').repeat(255_000)}"}`],
];

describe('a row keeps', () => {
  test.each(ROWS)('%s', async (_what, row) => {
    await database.hold([envelope({ sequence: 1, row })]);
    expect(await column(database, 'select row from current_assets')).toEqual([row]);
    expect(await column(database, 'select row from changes')).toEqual([row]);
  });
});

/** Lone surrogates are no characters: neither engine can hold them. */
const IDS: readonly (readonly [id: string, shown: string])[] = [
  ['a"b\\c', 'a"b\\c'],
  [',"row":{', ',"row":{'],
  ['{"class_uid":1', '{"class_uid":1'],
  ['a\u0000b\nc\u2028', 'a\u0000b\nc\u2028'],
  ['😀 büro/4?#', '😀 büro/4?#'],
  ['lone \ud83d and \ude00', 'lone ? and ?'],
  ['a pair 😀 beside a lone \udc00', 'a pair 😀 beside a lone ?'],
  ['no escape: \\ud800', 'no escape: \\ud800'],
  ["it's", "it's"],
];

test.each(IDS)('the id %j is shown as %j', async (id, shown) => {
  const event = { sequence: 1, stream: 'threats', id, assetId: id, row: '1' } as const;
  await database.hold([envelope(event)]);
  expect(await database.rows('select id, asset_id, row from current_threats')).toEqual([
    { id: shown, asset_id: shown, row: '1' },
  ]);
});

/** What `json_extract_scalar` gives of a value. */
const SCALARS: readonly (readonly [value: string, scalar: string | null])[] = [
  ...['99999999999999999.99', '123456789012345678901234567890', '9007199254740993', '-9223372036854775809', '-0'].map(
    same,
  ),
  ...['1.10', '-0.0', '0', '1e2', '1E+2', '1E400', '0.30000000000000000001', 'true'].map(same),
  ['"1.10"', '1.10'],
  ['"0"', '0'],
  ['"1e2"', '1e2'],
  [String.raw`"{\"x\":1.10}"`, '{"x":1.10}'],
  ['"[1]"', '[1]'],
  ['""', ''],
  ['null', null],
  ['[1.10]', null],
  ['{"b":1.10}', null],
];

function same(text: string): [string, string] {
  return [text, text];
}

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

const PATHS: readonly (readonly [path: string, scalar: string | null])[] = [
  ['$.a', '7.70'],
  ['$["a"]', '7.70'],
  ['$["b.c"]', '1.10'],
  ['$.d["e f"][1]', '2.0'],
  ['$.d.g[0].h', '1e2'],
  ['$["d"]["g"][0]["h"]', '1e2'],
  [String.raw`$["q\"r"]`, 'quote'],
  ['$.nowhere', null],
];

test('a path leads to members of every name', async () => {
  const row = String.raw`{"a":7.70,"b.c":1.10,"d":{"e f":[1.0,2.0],"g":[{"h":1e2}]},"q\"r":"quote"}`;
  await database.hold([envelope({ sequence: 1, row })]);
  const columns = PATHS.map(([path], index) => `json_extract_scalar(row, '${path}') as c${index}`);
  const [found] = await database.tuples(`select ${columns.join()} from current_assets`);
  expect(PATHS.map(([path], index) => [path, found![index]])).toEqual(PATHS);
});

test('a stream_position that is a number keeps its digits', async () => {
  await database.hold([envelope({ sequence: 1, row: '1' }).replace('"7"', '99999999999999999.90')]);
  expect(await column(database, 'select stream_position from current_assets')).toEqual(['99999999999999999.90']);
});

/** The forms that docs/event.schema.json allows a time. */
const TIMES: readonly (readonly [time: string | null, utc: string | null])[] = [
  ['2026-11-20T09:14:03Z', '2026-11-20 09:14:03'],
  ['2026-11-20T09:14:03.120Z', '2026-11-20 09:14:03.12'],
  ['2026-11-20T09:14:03.123999Z', '2026-11-20 09:14:03.123'],
  ['2026-11-20T09:14:03+02:00', '2026-11-20 07:14:03'],
  ['2026-11-20T23:14:03-0130', '2026-11-21 00:44:03'],
  ['2026-11-20T09:14:03', '2026-11-20 09:14:03'],
  ['2026-11-20T09:14Z', '2026-11-20 09:14:00'],
  ['2026-11-20T09:14+02', '2026-11-20 07:14:00'],
  ['2026-11-20T09:14:03,5Z', '2026-11-20 09:14:03.5'],
  ['2026-13-20T09:14:03Z', null],
  ['yesterday', null],
  [null, null],
];

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
