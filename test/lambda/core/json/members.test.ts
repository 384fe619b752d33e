import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { arrayElements, rowMembers } from '../../../../lambda/core/json/members.ts';
import { json, memberName, PLAIN, type Style, write } from '../support/json-text.ts';

const styles: fc.Arbitrary<Style> = fc.constantFrom('', ' ', '\t ').map(space => ({ ...PLAIN, space: () => space }));
const tree = fc.array(fc.tuple(memberName, json), { maxLength: 8 });

describe('the members of a row', () => {
  test('each member of a row is returned as it is written, and the last of a name wins', () => {
    fc.assert(
      fc.property(tree, styles, (members, style) => {
        const found = rowMembers(write({ members }, style));
        const last = new Map(members.map(([name, value]) => [name, write(value, style)]));
        expect(new Map([...found].map(([name, { value }]) => [name, value]))).toEqual(last);
        for (const [name, member] of found) expect(JSON.parse(member.name)).toBe(name);
      }),
    );
  });

  test.each([
    ['{}', {}],
    ['{ }', {}],
    ['{"a":1}', { a: '1' }],
    ['{ "a" : "}" , "b" : [ "]", {"c":"{"} ] }', { a: '"}"', b: '[ "]", {"c":"{"} ]' }],
    ['{"\\u0061\\"":"\\\\","b":"\\\\\\""}', { 'a"': '"\\\\"', b: '"\\\\\\""' }],
  ])('the members of %s are found', (text, expected) => {
    const found = [...rowMembers(text)].map(([name, { value }]) => [name, value]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});

test('each element of an array is returned as it is written', () => {
  fc.assert(
    fc.property(fc.array(json, { maxLength: 6 }), styles, (items, style) => {
      expect(arrayElements(write({ items }, style))).toEqual(items.map(item => write(item, style)));
    }),
  );
});
