import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { withoutMembers } from '../../../lambda/core/json/members.ts';
import { json, memberName, PLAIN, type Style, write } from '../../support/core/json-text.ts';

const styles: fc.Arbitrary<Style> = fc.constantFrom('', ' ', '\t ').map(space => ({ ...PLAIN, space: () => space }));
const tree = fc.array(fc.tuple(memberName, json), { minLength: 1, maxLength: 8 });

describe('a row without the omitted members', () => {
  test('a row without its omitted members keeps every other member as it was written', () => {
    fc.assert(
      fc.property(tree, styles, (members, style) => {
        const [[left] = ['']] = members;
        const kept = members.filter(([name]) => name !== left);
        const texts = kept.map(([name, value]) => `${style.quote(name)}:${write(value, style)}`);
        expect(withoutMembers(write({ members }, style), [[left]])).toBe(`{${texts.join(',')}}`);
      }),
    );
  });

  test.each([
    ['{}', '{}'],
    ['{ "b" : 1.0 }', '{ "b" : 1.0 }'],
    ['{ "a" : "}" , "b" : [ "]", {"a":"{"} ] }', '{"b":[ "]", {"a":"{"} ]}'],
    ['{"\\u0061":"\\\\","b":"\\\\\\""}', '{"b":"\\\\\\""}'],
    ['{"a":1,"b":2,"a":3}', '{"b":2}'],
  ])('the row %s without the member a is %s', (text, expected) => {
    expect(withoutMembers(text, [['a']])).toBe(expected);
  });
});
