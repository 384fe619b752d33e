/** Rows of a page are read by the shapes of the rows before them. The result must not depend on those. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonError } from '../../../../lambda/core/errors.ts';
import { cutBody } from '../../../../lambda/core/json/cutter.ts';
import { rowShapes, SHAPES_REMEMBERED } from '../../../../lambda/core/json/shape.ts';
import { type Json, json, normal, PLAIN, styleOf, write } from '../support/json-text.ts';

const OPTIONS = { wanted: ['id', 'é'], excluded: 'stream_position' };
const rowsOf = (texts: readonly string[]) =>
  cutBody(Buffer.from(`{"rows":[${texts.join(',')}]}`), OPTIONS)[0]!.elements!;
/** The parts of a row, without its place in the body. */
const contents = (texts: readonly string[]) =>
  rowsOf(texts).map(row => {
    const { text, canonical, excluded, isObject } = row;
    return { text, canonical, excluded, isObject, wanted: OPTIONS.wanted.map((_, place) => row.wanted(place)) };
  });

/** Few names, so that rows share shapes, differ in one member, or have one twice. */
const name = fc.constantFrom('id', 'a', 'b', 'aa', 'é', 'stream_position', '__proto__', '\u2028', 'a"', '');
const nested: fc.Arbitrary<Json> = fc.record({
  members: fc.array(fc.tuple(name, fc.record({ raw: fc.constantFrom('1', '1.0', 'null') })), { maxLength: 4 }),
});
const value = fc.oneof(json, nested, fc.record({ items: fc.array(nested, { maxLength: 3 }) }));
const row = fc.record({ members: fc.array(fc.tuple(name, value), { maxLength: 6 }) });
const style = fc.oneof(
  fc.constant(PLAIN),
  fc.nat().map(seed => styleOf(seed)),
  fc.nat().map(seed => styleOf(seed, [''])),
);
const page = fc.array(fc.tuple(fc.oneof(row, json), style), { minLength: 1, maxLength: 8 });

describe('a page of many rows', () => {
  test('each row of a page is cut as if it were alone', () => {
    fc.assert(
      fc.property(page, rows => {
        const texts = rows.map(([tree, each]) => write(tree, each));
        expect(contents(texts)).toEqual(texts.flatMap(text => contents([text])));
      }),
      { numRuns: 400 },
    );
  });

  test('two rows have the same canonical text exactly when they mean the same, stream_position aside', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(row, style), { minLength: 2, maxLength: 8 }), rows => {
        const meanings = rows.map(([{ members }]) => {
          const content = members.filter(([each]) => each !== 'stream_position');
          return JSON.stringify(normal({ members: content }));
        });
        const canonicals = rowsOf(rows.map(([tree, each]) => write(tree, each))).map(({ canonical }) => canonical);
        expect(canonicals.map(each => canonicals.indexOf(each))).toEqual(meanings.map(each => meanings.indexOf(each)));
      }),
      { numRuns: 400 },
    );
  });

  test('a page is accepted exactly when JSON.parse accepts it, also when a later row is malformed', () => {
    const change = fc.record({
      at: fc.nat(),
      drop: fc.nat({ max: 3 }),
      put: fc.constantFrom('', '"', ':', ',', '{', '}', '\\', ' ', '\n', '"a":', 'a', '1'),
    });
    const alike = fc.tuple(row, fc.integer({ min: 2, max: 4 }), style);
    fc.assert(
      fc.property(alike, change, ([tree, count, each], { at, drop, put }) => {
        const text = `{"rows":[${Array.from({ length: count }, () => write(tree, each)).join(',')}]}`;
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + put + text.slice(place + drop);
        expect(accepts(cut, changed)).toBe(accepts(parseObject, changed));
      }),
      { numRuns: 1500 },
    );
  });
});

describe('shapes', () => {
  const object = (names: readonly string[]) => `{${names.map(each => `"${each}":"${each}"`).join(',')}}`;

  test('a shape of more members than there is room for at first sorts all of them', () => {
    const names = Array.from({ length: 300 }, (_, index) => `m${index}`);
    const [one, other] = rowsOf([object(names.toReversed()), object(names)]);
    expect(one!.canonical).toBe(object(names.toSorted()));
    expect(other!.canonical).toBe(one!.canonical);
  });

  test('rows of shapes beyond those remembered are still read correctly', () => {
    const texts = Array.from({ length: SHAPES_REMEMBERED + 50 }, (_, index) => object([`z${index}`, 'b', 'a']));
    const canonicals = rowsOf([...texts, ...texts]).map(({ canonical }) => canonical);
    expect(canonicals.slice(0, texts.length)).toEqual(canonicals.slice(texts.length));
    expect(canonicals.at(-1)).toBe(object(['a', 'b', `z${texts.length - 1}`]));
  });

  test('a text that grows when it is written in ASCII is given room', () => {
    const text = `{"b":"${'é'.repeat(5000)}","a":"${'\u007f😀'.repeat(5000)}","id":"x"}`;
    const [first] = rowsOf([text]);
    expect(JSON.parse(first!.canonical)).toEqual(JSON.parse(text));
  });
});

const cut = (text: string) => void cutBody(Buffer.from(text), OPTIONS);

function parseObject(text: string): void {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new SyntaxError('No object');
}

function accepts(read: (text: string) => void, text: string): boolean {
  try {
    read(text);
    return true;
  } catch (error) {
    if (error instanceof JsonError || error instanceof SyntaxError) return false;
    throw error;
  }
}

test('names that never come again stop being remembered, so that they cannot fill the memory', () => {
  const { root, room } = rowShapes({ wanted: new Map(), excluded: '' });
  for (let n = 0; n < SHAPES_REMEMBERED; n++) root.follow(`"${n}":`, room);
  expect(root.follow('"0":', room)).toBe(root.follow('"0":', room));
  expect(root.follow('"new":', room)).not.toBe(root.follow('"new":', room));
});
