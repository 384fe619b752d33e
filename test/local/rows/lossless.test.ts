import { expect, test } from '@jest/globals';
import { canonicalContent } from '../../../local/rows/lossless.ts';

test('the content of a row keeps its digits, but sorts the members and drops stream_position', () => {
  const row = '{"n": 9007199254740993, "stream_position": "x", "f": 1.0, "a": {"c": [1.50], "b": "\\u0041"}}';
  expect(canonicalContent(row)).toBe('{"a":{"b":"A","c":[1.50]},"f":1.0,"n":9007199254740993}');
});
