import { describe, expect, test } from '@jest/globals';
import { membersToCut } from '../../lambda/core/row.ts';
import { createRowFilter, filterProblem } from '../../lambda/filters.ts';
import { sha256 } from '../../lambda/system.ts';
import { ASSETS } from '../support/core/streams.ts';

const rowFilterOf = (filter?: string, omit: string[] = []) =>
  createRowFilter({ filter, omit }, '/v1/assets', membersToCut(ASSETS, 'asset_id'), sha256);

describe('the check of a filter expression', () => {
  test.each([
    ['a comparison', "severity != 'low'"],
    ['a function whose arguments are missing in a row without members', 'length(tags) > `1`'],
    ['parentheses within texts, literals and quoted names', 'contains(name, \'f(x)\') && "g(x)" != `"h(x)"`'],
    ['a text with an escaped quote', "name != 'it\\'s f(x)'"],
    ['parentheses without a function', '(a || b) && !(c)'],
    ['a function within another', "starts_with(not_null(name, ''), 'web-')"],
    ['a number that is ordered, with a text on either side of it', "a == 'x' && score >= `-5.5` && b != 'y'"],
    ['a text that holds an ordering', "name == \"a < 'b'\" || name != 'a >= 5'"],
    ['a text that every object of JavaScript has as a name', "name == 'constructor'"],
  ])('a filter expression accepts %s', (_, filter) => {
    expect(filterProblem(filter)).toBeUndefined();
  });

  test.each([
    ['an unknown function', 'matches(name)', /Unknown function: matches\(\)/],
    ['an unknown function that an empty row does not reach', 'a && matches(name)', /Unknown function: matches\(\)/],
    ['a text without its end', "a == 'b", /unknown token/],
    ['an operator without its right side', 'a ==', /./],
    ['an order of texts', "blocked_at >= '2026-01-01'", /^orders by >= with '2026-01-01'.*numbers only/],
    ['an order of texts from the left', "'2026-01-01'<blocked_at", /^orders by < with '2026-01-01'/],
    ['an order of texts in parentheses', "(a > ( 'b' )) && c", /^orders by > with 'b'/],
    ['a text as a JSON literal', 'blocked_at <= `"2026"`', /^orders by <= with `"2026"`/],
    ['a literal that is not a number', 'a < `null`', /^orders by < with `null`/],
    [
      'a member that every object of JavaScript has',
      "a.constructor == 'x'",
      /^names constructor, which the library finds in/,
    ],
    [
      'a member of every object of JavaScript as a quoted name with escapes',
      '"\\u005f_proto__".a == b',
      /^names __proto__/,
    ],
  ])('a filter expression refuses %s', (_, filter, reason) => {
    expect(filterProblem(filter)).toMatch(reason);
  });
});

describe('a filter', () => {
  test.each([
    ['send', "severity != 'low'", '{"severity":"high"}'],
    ['filtered', "severity != 'low'", '{"severity":"low"}'],
    ['send', "severity != 'low'", '{}'],
    ['error', 'score > `5`', '{"score":"9"}'],
    ['error', 'severity', '{"severity":"low"}'],
    ['error', 'severity', '{}'],
    ['error', 'length(score) > `1`', '{"score":7}'],
    ['filtered', 'archived', '{"archived":false}'],
    ['error', 'n', '{"n":0}'],
    ['filtered', 'n == `9007199254740993`', '{"n":1}'],
    ['send', 'n == `9007199254740993`', '{"n":9007199254740992}'],
  ])('a filter returns %s for %s and the row %s', (result, filter, row) => {
    expect(rowFilterOf(filter)!.decide(row)).toBe(result);
  });

  test('a filter is created only if rows can be excluded or members omitted', () => {
    expect(rowFilterOf()).toBeUndefined();
    expect(rowFilterOf(undefined, ['a'])!.decide('{}')).toBe('send');
  });

  test('the tag of a filter depends on its expression and its omitted members, but not on their order', () => {
    const tags = [rowFilterOf('a'), rowFilterOf('b'), rowFilterOf('a', ['x']), rowFilterOf('a', ['x', 'y'])].map(
      each => each!.tag,
    );
    expect(new Set(tags).size).toBe(4);
    expect(rowFilterOf('a', ['y', 'x'])!.tag).toBe(tags[3]);
  });
});
