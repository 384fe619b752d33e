import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readEvent } from './support/event-schema.ts';
import { repeatsNames, styleOf, tokens, write } from './support/json-text.ts';
import { lineOf, rowTextOf, rowTree } from './support/row-tree.ts';
import { rowOf, THREATS } from './support/streams.ts';

describe('rows travel untouched', () => {
  test('whatever is sent, the event carries it: same tokens, same value, on one line', () => {
    fc.assert(
      fc.property(rowTree, fc.nat(), (tree, seed) => {
        const sent = write(tree, styleOf(seed));
        const line = lineOf(rowOf(sent));
        const carried = rowTextOf(line);
        expect(line).not.toMatch(/[\r\n]/);
        expect(tokens(carried)).toBe(tokens(sent));
        const { row } = readEvent(line);
        if (!repeatsNames(tree)) expect(row).toEqual(JSON.parse(sent));
      }),
      { numRuns: 600 },
    );
  });

  test('to the last character, unless line breaks stand between tokens', () => {
    fc.assert(
      fc.property(rowTree, fc.nat(), (tree, seed) => {
        const sent = write(tree, styleOf(seed, ['', ' ', '\t', '  ']));
        expect(rowTextOf(lineOf(rowOf(sent)))).toBe(sent);
      }),
      { numRuns: 300 },
    );
  });

  test('numbers, names and escapes that a parser would change', () => {
    const sent =
      '{"id":"a\\u0062","n":9007199254740993,"f":1.0,"e":1e400,"z":-0,"__proto__":{"x":1},"constructor":null,' +
      '"":"\\ud800 \\/ \u2028","n":2}';
    expect(rowTextOf(lineOf(rowOf(sent)))).toBe(sent);
  });

  test.each([
    ['{"id":"\\u010a\\ud83d\\ude00","asset_id":"a"}', ['\u010a😀', 'a']],
    ['{"id":"t","asset_id":"\\u010d"}', ['t', '\u010d']],
  ])('names written in escapes stay what they mean, although the row is plain ASCII: %s', (sent, names) => {
    const event = readEvent(lineOf(rowOf(sent, THREATS), THREATS));
    expect([event.id, event.asset_id]).toEqual(names);
  });

  test('a pretty-printed row loses its line breaks and the indentation after them, nothing else', () => {
    const sent = '{\r\n  "id": "a",\r\n  "text": "x\\n  y"\r\n}';
    expect(rowTextOf(lineOf(rowOf(sent)))).toBe('{"id": "a","text": "x\\n  y"}');
  });
});
