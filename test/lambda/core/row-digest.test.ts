import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readEvent } from './support/event-schema.ts';
import { type Json, json, normal, PLAIN, styleOf, write } from './support/json-text.ts';
import { lineOf, rowTree } from './support/row-tree.ts';
import { asset } from './support/rows.ts';
import { type AnyStream, ASSETS, rowOf, THREATS } from './support/streams.ts';

describe('rule 5: the digest tells content from delivery', () => {
  const rowHash = (text: string) => rowOf(text).rowHash;

  test('blind to the order of members, white space, escapes and stream_position', () => {
    fc.assert(
      fc.property(rowTree, fc.nat(), fc.nat(), fc.string(), (tree, one, other, position) => {
        const moved = { members: [...tree.members, ['stream_position', { string: position }] as const] };
        expect(rowHash(write(moved, styleOf(one)))).toBe(rowHash(write(tree, styleOf(other))));
      }),
      { numRuns: 400 },
    );
  });

  test('two rows share a digest exactly when they mean the same, to the last digit', () => {
    fc.assert(
      fc.property(json, json, fc.nat(), (one, other, seed) => {
        const row = (value: Json) => ({ members: [['id', { string: 'a' }] as const, ['x', value] as const] });
        const [first, second] = [write(row(one), PLAIN), write(row(other), styleOf(seed))];
        const same = JSON.stringify(normal(one)) === JSON.stringify(normal(other));
        expect(rowHash(first) === rowHash(second)).toBe(same);
      }),
      { numRuns: 400 },
    );
  });

  test('sees every digit that is changed in a number', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{0,30}$/);
    fc.assert(
      fc.property(digits, fc.nat(), fc.integer({ min: 1, max: 9 }), (text, at, step) => {
        const place = at % text.length;
        const other = text.slice(0, place) + ((Number(text[place]) + step) % 10) + text.slice(place + 1);
        fc.pre(!other.startsWith('0'));
        expect(rowHash(`{"id":"a","n":[{"m":${text}}]}`)).not.toBe(rowHash(`{"id":"a","n":[{"m":${other}}]}`));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['1.0', '1'],
    ['-0', '0'],
    ['1e400', '1e401'],
    ['9007199254740993', '9007199254740992'],
    ['[1,2]', '[2,1]'],
    ['[{"a":1},{"b":1}]', '[{"b":1},{"a":1}]'],
    ['null', '"null"'],
    ['""', '"\\u0000"'],
    ['"\\ud800"', '"\\ud801"'],
    ['{"stream_position":1}', '{"stream_position":2}'],
    ['{"__proto__":1}', '{}'],
  ])('tells %s from %s', (one, other) => {
    expect(rowHash(`{"id":"a","x":${one}}`)).not.toBe(rowHash(`{"id":"a","x":${other}}`));
  });

  test('a later updated_at is other content, an earlier one too: neither decides what is new', () => {
    const at = (time: string) => rowHash(asset('a', { updated_at: time }));
    expect(new Set([at('2026-01-01T00:00:00Z'), at('2025-01-01T00:00:00Z'), at('2027-01-01T00:00:00Z')]).size).toBe(3);
  });
});

describe('event_id', () => {
  const idOf = (text: string, stream: AnyStream = ASSETS) => readEvent(lineOf(rowOf(text, stream), stream)).event_id;

  test('is one for the same delivery, however it is written', () => {
    fc.assert(
      fc.property(rowTree, fc.nat(), fc.nat(), (tree, one, other) => {
        const styles = [styleOf(one), styleOf(other)];
        const [first, second] = styles.map(style => idOf(write(tree, style)));
        expect(first).toBe(second);
      }),
      { numRuns: 300 },
    );
  });

  test('is another for another stream, kind, id, stream_position or content', () => {
    const events: readonly [string, AnyStream][] = [
      ['{"id":"x","stream_position":"p"}', ASSETS],
      ['{"id":"x","stream_position":"p"}', THREATS],
      ['{"id":"x","stream_position":"p","deleted":true}', ASSETS],
      ['{"id":"y","stream_position":"p"}', ASSETS],
      ['{"id":"x","stream_position":"q"}', ASSETS],
      ['{"id":"x"}', ASSETS],
      ['{"id":"x","stream_position":"p","v":1}', ASSETS],
    ];
    expect(new Set(events.map(([text, stream]) => idOf(text, stream))).size).toBe(events.length);
  });
});
