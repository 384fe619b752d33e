import { expect, test } from '@jest/globals';
import { parseJsonObject, withMembers } from '../../../bin/ctl/json-object.ts';

test.each(['canary', '["canary"]', '"canary"', 'null', '7', ''])('the text %j is not a JSON object', text => {
  expect(parseJsonObject(text)).toBeUndefined();
});

test.each([
  ['{}', '{"a":"x","b":"y"}'],
  [' {"note": 1} ', '{"note":1,"a":"x","b":"y"}'],
  [
    '{ "\\u0061":1 ,"note": "a, \\"b\\": {", "big":12345678901234567890, "ratio":1.0, "b" : [1] }',
    '{"note":"a, \\"b\\": {","big":12345678901234567890,"ratio":1.0,"a":"x","b":"y"}',
  ],
])('members are set in the JSON object %s without a change to other values', (object, expected) => {
  expect(withMembers(object, { a: 'x', b: 'y' })).toBe(expected);
});
