import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rowLine } from '../../lambda/core/event.ts';
import type { Row } from '../../lambda/core/row.ts';
import { anyCharacter } from '../support/any-character.ts';
import {
  type Json,
  json,
  type Member,
  memberName,
  normal,
  PLAIN,
  styleOf,
  tokens,
  write,
} from '../support/core/json-text.ts';
import { tombstone } from '../support/core/rows.ts';
import { type AnyStream, ASSETS, CONTEXT, DNS_BLOCKS, readText, rowOf, THREATS } from '../support/core/streams.ts';
import { readEvent } from '../support/function/event-schema.ts';

const lineOf = (row: Row, stream: AnyStream = ASSETS): string =>
  rowLine({ row, stream, sequence: '00000000010000000001' }, CONTEXT);
/**
 * The text of `row` in an event line: it is the last member, and inside strings quotes are escaped.
 */
const rowTextOf = (line: string): string => line.slice(line.indexOf(',"row":') + ',"row":'.length, -1);

const READ_MEMBERS = ['id', 'stream_position', 'updated_at', 'deleted', 'deleted_at', 'asset_id'];
const others = fc.array(
  fc.tuple(
    memberName.filter(name => !READ_MEMBERS.includes(name)),
    json,
  ),
  { maxLength: 6 },
);
const rowTree = fc
  .tuple(fc.string({ minLength: 1, unit: anyCharacter, maxLength: 8 }), others, fc.nat())
  .map(([id, members, at]): { readonly members: readonly Member[] } => {
    const named = [...members];
    named.splice(at % (members.length + 1), 0, ['id', { string: id }]);
    return { members: named };
  });

describe('version tags for the window', () => {
  test.each([
    ['another version of an asset', ASSETS, '"stream_position":"p"', '"stream_position":"p","n":1', false],
    ['another position of an asset', ASSETS, '"stream_position":"p"', '"stream_position":"q"', false],
    ['another last position', ASSETS, '"stream_position":1,"stream_position":2', '"stream_position":1', false],
    ['the same delivery', ASSETS, '"stream_position":"é"', ' "\\u0073tream_position":"\\u00E9" ', true],
    ['another position of a DNS block', DNS_BLOCKS, '"stream_position":"p"', '"stream_position":"q"', true],
    ['another DNS block', DNS_BLOCKS, '"n":1', '"n":1,"id":"b"', false],
    ['another content of a DNS block', DNS_BLOCKS, '"n":1', '"n":1.0', false],
  ])('two rows share a version tag only if the window need not distinguish them: %s', (_what, stream, ...members) => {
    const [one, other, isSame] = members;
    const [first, second] = [one, other].map(text => rowOf(`{"id":"a",${text}}`, stream).versionTag);
    expect(first).toMatch(/^[0-9a-f]{24}$/);
    expect(first === second).toBe(isSame);
  });

  test.each([null, undefined])('a row that can change has no version tag when stream_position is %s', position => {
    const row = JSON.stringify({ id: 'a', stream_position: position });
    expect(rowOf(row).versionTag).toBeUndefined();
    expect(rowOf(row, THREATS).versionTag).toBeUndefined();
  });
});

describe('the members that are read from a row', () => {
  test('the time of a tombstone is the value of deleted_at', () => {
    expect(rowOf(tombstone('a1'))).toMatchObject({ deleted: true, time: '2026-11-20T09:10:00Z' });
    expect(rowOf(tombstone('a1', { deleted_at: 'soon' }))).toMatchObject({ time: '2026-11-20T09:00:00Z' });
  });

  test('a threat with deleted: true is not a tombstone, because only assets have tombstones', () => {
    expect(rowOf('{"id":"t","deleted":true}', THREATS).deleted).toBe(false);
  });

  test.each(['"2026-11-20"', '1795166043', '"Fri, 20 Nov 2026 09:14:03 GMT"', 'null', '""'])(
    'an updated_at of %s is not read as a time',
    time => {
      expect(rowOf(`{"id":"a","updated_at":${time}}`).time).toBeUndefined();
    },
  );

  test.each(['{}', '[1]', 'true', 'null', `"${'x'.repeat(1_024)}"`])(
    'a stream_position is read only if it is a number or a short text (case %#)',
    position => {
      expect(rowOf(`{"id":"a","stream_position":${position}}`).position).toBeUndefined();
    },
  );

  test.each(['"p"', '"é😀"', '9007199254740993', '-1.0'])(
    'a stream_position of %s is kept as it was sent',
    position => {
      expect(rowOf(`{"id":"a","stream_position":${position}}`).position).toBe(position);
    },
  );

  test('the last of two row members with the same name is read', () => {
    const members = [
      '"id":"x"',
      '"id":"y"',
      '"asset_id":"a"',
      '"asset_id":"b"',
      '"stream_position":1',
      '"stream_position":2',
    ];
    expect(rowOf(`{${members}}`, THREATS)).toMatchObject({ id: 'y', parent: 'b', position: '2' });
    expect(readText('{"id":"a","id":""}')).toMatchObject({ reason: 'no-id' });
  });
});

describe('rule 11: the member that names the asset', () => {
  test('the configured member names the asset of a threat', () => {
    expect(rowOf('{"id":"t","asset_id":"a","host":"b"}', THREATS).parent).toBe('a');
    expect(rowOf('{"id":"t","asset_id":"a","host":"b"}', THREATS, 'host').parent).toBe('b');
    expect(rowOf('{"id":"t","__proto__":"b"}', THREATS, '__proto__').parent).toBe('b');
  });

  test.each([undefined, null, '', 7, { id: 'a' }])('a threat has no asset when the configured member is %j', parent => {
    expect(rowOf(JSON.stringify({ id: 't', asset_id: parent }), THREATS).parent).toBeUndefined();
  });

  test('the member that names a threat’s asset is ignored in rows of assets', () => {
    expect(rowOf('{"id":"a","asset_id":"b","":"c"}').parent).toBeUndefined();
  });
});

describe('rule 13: the members about the removal of an asset', () => {
  const ABSENT = undefined;
  /** A date, null, or something that is no date. */
  const dates = [ABSENT, 'null', '"2026-11-20T09:10:00Z"', '"soon"', '""', '7', 'false', '{}', '[]'];
  const isDate = (date: string | undefined) => date !== ABSENT && date !== 'null';
  const member = (name: string, json: string | undefined) => (json === ABSENT ? '' : `,"${name}":${json}`);
  const meaning = (deleted: string | undefined, date: string | undefined) => {
    const row = readText(`{"id":"a"${member('deleted', deleted)}${member('deleted_at', date)}}`);
    if ('reason' in row) return row.reason;
    return row.deleted ? 'tombstone' : 'live';
  };

  test.each(dates)('an asset is removed if deleted is true and live if deleted is false, with deleted_at %s', date => {
    expect(meaning('true', date)).toBe('tombstone');
    expect(meaning('false', date)).toBe('live');
  });

  test.each(dates)('an asset whose deleted is absent or null is live only without a value of deleted_at (%s)', date => {
    const expected = isDate(date) ? 'unclear-removal' : 'live';
    expect(meaning(ABSENT, date)).toEqual(expected);
    expect(meaning('null', date)).toEqual(expected);
  });

  test.each(['"true"', '"false"', '""', '1', '0', '1.0', '{}', '[]', '[true]'])(
    'an asset whose deleted is %s is an unclear removal, whatever deleted_at is',
    deleted => {
      expect(new Set(dates.map(date => meaning(deleted, date)))).toEqual(new Set(['unclear-removal']));
    },
  );

  test('threats and DNS blocks with the members deleted and deleted_at are not read as tombstones', () => {
    for (const stream of [THREATS, DNS_BLOCKS])
      expect(readText('{"id":"t","deleted":"true","deleted_at":7}', stream)).toMatchObject({ deleted: false });
  });
});

describe('rule 13: a row that cannot be an event', () => {
  test.each([
    ['not-an-object', '7'],
    ['not-an-object', 'null'],
    ['not-an-object', '"a"'],
    ['not-an-object', '[{"id":"a"}]'],
    ['no-id', '{}'],
    ['no-id', '{"id":""}'],
    ['no-id', '{"id":7}'],
    ['no-id', '{"id":null}'],
    ['no-id', '{"id":["a"]}'],
    ['no-id', '{"id":"a","id":""}'],
    ['unclear-removal', '{"id":"a","deleted":"true"}'],
    ['unclear-removal', '{"id":"a","deleted":true,"deleted":1}'],
    ['id-too-long', `{"id":"${'a'.repeat(6000)}"}`],
  ])('a dead letter with the reason %s contains the row as it was sent (case %#)', (reason, text) => {
    expect(readText(text)).toMatchObject({ reason, row: text, rowHash: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  test('a bad row that is read again has the same row hash, so it is stored once', () => {
    const [one, same, other] = [readText('{"x": 1}'), readText('{"x":1}'), readText('{"x":2}')];
    expect(same.rowHash).toEqual(one.rowHash);
    expect(same.versionTag).toEqual(one.versionTag);
    expect(other.versionTag).not.toBe(one.versionTag);
  });
});

describe('rule 5: the row hash', () => {
  const rowHash = (text: string) => rowOf(text).rowHash;

  test('the row hash ignores the order of members, white space, escapes and stream_position', () => {
    fc.assert(
      fc.property(rowTree, fc.nat(), fc.nat(), fc.string(), (tree, one, other, position) => {
        const moved = { members: [...tree.members, ['stream_position', { string: position }] as const] };
        expect(rowHash(write(moved, styleOf(one)))).toBe(rowHash(write(tree, styleOf(other))));
      }),
      { numRuns: 400 },
    );
  });

  test('two rows share a row hash exactly when their values are equal, to the last digit', () => {
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

  test('the row hash changes when any digit of a number changes', () => {
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
    ['{"a":1,"a":2}', '{"a":2,"a":1}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['"\u00e9"', '"\u00c3\u00a9"'],
  ])('the row hashes of %s and %s differ', (one, other) => {
    expect(rowHash(`{"id":"a","x":${one}}`)).not.toBe(rowHash(`{"id":"a","x":${other}}`));
  });
});

test.each([
  ['{"id":"a","n":1}', 'ebddcace15c56ac9ac7a5499fffba4de'],
  ['{"id":"a","x":"\\u0000\\u001f\\u007f\\u00e9\\u20ac\\ud83d\\ude00"}', 'b7b08e5e2f96812ac9bab56a33d297ba'],
  ['{"id":"\\ud800","\\ud800":"\\udc00","b":-0,"a":1.0e+400}', 'b751afe7701199eb387e160cf4dec185'],
])('the row hash of %s never changes, because a new hash would send every row again', (text, rowHash) => {
  expect(rowOf(text).rowHash).toBe(rowHash);
});

describe('unchanged rows', () => {
  test('an event contains any row on one line, with the same tokens and the same value', () => {
    fc.assert(
      fc.property(rowTree, fc.nat(), (tree, seed) => {
        const sent = write(tree, styleOf(seed));
        const line = lineOf(rowOf(sent));
        const carried = rowTextOf(line);
        expect(line).not.toMatch(/[\r\n]/);
        expect(tokens(carried)).toBe(tokens(sent));
        expect(() => readEvent(line)).not.toThrow();
      }),
      { numRuns: 600 },
    );
  });

  test('an event contains the exact text of its row, unless the row has line breaks between tokens', () => {
    fc.assert(
      fc.property(rowTree, fc.nat(), (tree, seed) => {
        const sent = write(tree, styleOf(seed, ['', ' ', '\t', '  ']));
        expect(rowTextOf(lineOf(rowOf(sent)))).toBe(sent);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['{"id":"\\u010a\\ud83d\\ude00","asset_id":"a"}', ['\u010a😀', 'a']],
    ['{"id":"t","asset_id":"\\u010d"}', ['t', '\u010d']],
  ])('ids with JSON escapes are decoded in a row of plain ASCII: %s', (sent, names) => {
    const event = readEvent(lineOf(rowOf(sent, THREATS), THREATS));
    expect([event.id, event.asset_id]).toEqual(names);
  });

  test('a pretty-printed row loses only its line breaks and the indentation after them', () => {
    const sent = '{\r\n  "id": "a",\r\n  "text": "x\\n  y"\r\n}';
    expect(rowTextOf(lineOf(rowOf(sent)))).toBe('{"id": "a","text": "x\\n  y"}');
  });
});
