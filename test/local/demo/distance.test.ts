import { describe, expect, test } from '@jest/globals';
import { oldestDifferences } from '../../../local/demo/demo.ts';
import { changesBetween, distances, type HeldEvent, type Rows } from '../../../local/demo/distance.ts';

const ASSET = '{"id":"a","updated_at":"t","deleted":false,"n":9007199254740993}';
const GONE = '{"id":"gone","updated_at":"t","deleted":true,"deleted_at":"t"}';
const rowsOf = (assets: Readonly<Record<string, string>>): Rows => ({ assets: new Map(Object.entries(assets)) });
const held = (id: string, kind: string, row?: string): HeldEvent => {
  return { stream: 'assets', id, kind, ...(row === undefined ? {} : { row }) };
};

function differences(rows: Rows, copy: readonly HeldEvent[]) {
  return Object.fromEntries(distances(rows, copy).get('assets')!.differences);
}

describe('the distance', () => {
  test('is zero when the copy has each row to the last digit, whatever its position and the order of its members', () => {
    const other = '{"n":9007199254740993,"stream_position":"9","id":"a","updated_at":"t","deleted":false}';
    const positioned = ASSET.replace(',"deleted"', ',"stream_position":"9","deleted"');
    for (const row of [ASSET, other, positioned]) {
      expect(differences(rowsOf({ a: ASSET }), [held('a', 'upsert', row)])).toEqual({});
    }
  });

  test.each<[string, Readonly<Record<string, string>>, HeldEvent[], Record<string, string>]>([
    ['a row that the SIEM never got', { a: ASSET }, [], { a: 'missing' }],
    ['another digit', { a: ASSET }, [held('a', 'upsert', ASSET.replace('993', '992'))], { a: 'different' }],
    [
      'a restored row of which the SIEM has the tombstone',
      { a: ASSET },
      [held('a', 'tombstone', GONE)],
      { a: 'missing' },
    ],
    ['a removed row that the SIEM still has', { gone: GONE }, [held('gone', 'upsert', ASSET)], { gone: 'extra' }],
    ['a row that no list has any more', {}, [held('a', 'upsert', ASSET)], { a: 'extra' }],
    ['an event that only points to its row', { a: ASSET }, [held('a', 'oversize')], { a: 'different' }],
  ])('counts %s', (_, rows, copy, expected) => {
    expect(differences(rowsOf(rows), copy)).toEqual(expected);
  });

  test('does not count tombstones of assets that the SIEM never had, or rows that are removed on both sides', () => {
    expect(differences(rowsOf({ gone: GONE }), [])).toEqual({});
    expect(differences(rowsOf({ gone: GONE }), [held('gone', 'tombstone', GONE), held('t', 'withdrawn')])).toEqual({});
  });

  test('counts live rows of both sides', () => {
    const found = distances(rowsOf({ a: ASSET, gone: GONE }), [
      held('a', 'upsert', ASSET),
      held('gone', 'tombstone', GONE),
    ]);
    expect(found.get('assets')).toMatchObject({ rows: 1, held: 1 });
  });
});

test('changes between two looks are new, changed, removed or restored', () => {
  const removed = GONE.replace('"gone"', '"a"');
  const changed = ASSET.replace('"t"', '"u"');
  const changes = (before: Rows, after: Rows) => changesBetween(before, after).map(({ id, change }) => [id, change]);
  expect(changes(rowsOf({}), rowsOf({ a: ASSET }))).toEqual([['a', 'new']]);
  expect(changes(rowsOf({ a: ASSET }), rowsOf({ a: changed }))).toEqual([['a', 'changed']]);
  expect(changes(rowsOf({ a: ASSET }), rowsOf({ a: removed }))).toEqual([['a', 'removed']]);
  expect(changes(rowsOf({ a: removed }), rowsOf({ a: ASSET }))).toEqual([['a', 'restored']]);
  expect(changes(rowsOf({ a: ASSET }), rowsOf({}))).toEqual([['a', 'removed']]);
  expect(changes(rowsOf({ a: ASSET }), rowsOf({ a: ASSET }))).toEqual([]);
});

test('the lag of a stream is the age of its oldest difference', () => {
  const since = new Map<string, number>();
  const look = (rows: Rows, copy: readonly HeldEvent[], now: number) =>
    oldestDifferences(distances(rows, copy), since, now);
  expect(look(rowsOf({ a: ASSET }), [], 100).get('assets')).toBe(100);
  expect(look(rowsOf({ a: ASSET, b: ASSET }), [], 200).get('assets')).toBe(100);
  expect(look(rowsOf({ a: ASSET, b: ASSET }), [held('a', 'upsert', ASSET)], 300).get('assets')).toBe(200);
  const all = [held('a', 'upsert', ASSET), held('b', 'upsert', ASSET)];
  expect(look(rowsOf({ a: ASSET, b: ASSET }), all, 400).has('assets')).toBe(false);
  expect(since.size).toBe(0);
});

test('a change has the new row, and the removal of a threat has none', () => {
  const changes = (before: Rows, after: Rows) => changesBetween(before, after).map(({ stream, row }) => [stream, row]);
  expect(changes(rowsOf({}), rowsOf({ a: ASSET }))).toEqual([['assets', ASSET]]);
  expect(changes(rowsOf({ a: ASSET }), rowsOf({}))).toEqual([['assets', undefined]]);
});
