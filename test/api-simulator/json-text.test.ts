import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readJson, shuffled, writeJson } from '../../local/api-simulator/json-text.ts';
import { createRandom } from '../../local/api-simulator/random.ts';

const HARD =
  '{"n":9007199254740993,"f":1.0,"e":1e400,"z":-0,"__proto__":{"constructor":[1.50]},"":"\\ud800 \\u2028 {[,:]}"}';

test('numbers, names and escapes are written as they are read', () => {
  expect(writeJson(readJson(HARD))).toBe(HARD);
});

test('any JSON text is written back unchanged but for white space', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      const compact = JSON.stringify(JSON.parse(text));
      expect(JSON.stringify(JSON.parse(writeJson(readJson(text))))).toBe(compact);
      expect(writeJson(readJson(writeJson(readJson(text), { indent: 2 })))).toBe(writeJson(readJson(text)));
    }),
  );
});

test('indented text keeps every digit', () => {
  expect(writeJson(readJson('{"a":[1.0,{}],"b":[]}'), { indent: 2 })).toBe(
    '{\n  "a": [\n    1.0,\n    {}\n  ],\n  "b": []\n}',
  );
});

test('a shuffle changes the order of members at every depth and nothing else', () => {
  const text = JSON.stringify({ a: 1, b: { c: 2, d: 3, e: 4 }, f: [5, 6], g: 7 });
  const order = shuffled(createRandom(3));
  const results = Array.from({ length: 20 }, () => writeJson(readJson(text), { indent: 0, order }));
  for (const result of results) expect(JSON.parse(result)).toEqual(JSON.parse(text));
  expect(new Set(results).size).toBeGreaterThan(10);
});

test('an object that repeats a name keeps its order, because the last member counts', () => {
  const text = '{"a":1,"a":2,"a":3}';
  const order = shuffled(createRandom(3));
  for (let attempt = 0; attempt < 5; attempt++) expect(writeJson(readJson(text), { indent: 0, order })).toBe(text);
});

test('text that is not JSON is refused', () => {
  for (const text of ['', '{', '{"a":01}', '[1,]', "{'a':1}", '{"a":1} x'])
    expect(() => readJson(text)).toThrow(SyntaxError);
});
