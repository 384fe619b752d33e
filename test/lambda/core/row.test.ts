import { describe, expect, test } from '@jest/globals';
import { readEvent } from './support/event-schema.ts';
import { lineOf } from './support/row-tree.ts';
import { asset, dnsBlock, threat, tombstone } from './support/rows.ts';
import { DNS_BLOCKS, readText, rowOf, THREATS } from './support/streams.ts';

describe('the window: fingerprints', () => {
  test('of a row that changes tell each delivery of each version', () => {
    const print = (version: number, position: string | null) => rowOf(asset('a', { version, position })).versionTag;
    expect(print(1, 'p')).toBe(print(1, 'p'));
    expect(new Set([print(1, 'p'), print(1, 'q'), print(2, 'p')]).size).toBe(3);
  });

  test.each([null, undefined])('of a row that changes are none when stream_position is %s', position => {
    const row = JSON.stringify({ id: 'a', stream_position: position });
    expect(rowOf(row).versionTag).toBeUndefined();
    expect(rowOf(row, THREATS).versionTag).toBeUndefined();
  });

  test('of a DNS block are its id and content', () => {
    const { versionTag } = rowOf(dnsBlock('d1'), DNS_BLOCKS);
    expect(versionTag).toMatch(/^[0-9a-f]{24}$/);
    expect(rowOf(dnsBlock('d1'), DNS_BLOCKS).versionTag).toBe(versionTag);
    expect(rowOf(dnsBlock('d2'), DNS_BLOCKS).versionTag).not.toBe(versionTag);
  });
});

describe('what is read of a row', () => {
  test('an asset', () => {
    expect(rowOf(asset('a1', { position: 'p7' }))).toMatchObject({
      id: 'a1',
      position: '"p7"',
      time: '2026-11-20T09:00:00Z',
      deleted: false,
      parent: undefined,
    });
  });

  test('a tombstone, whose time is its deleted_at', () => {
    expect(rowOf(tombstone('a1'))).toMatchObject({ deleted: true, time: '2026-11-20T09:10:00Z' });
    expect(rowOf(tombstone('a1', { deleted_at: 'soon' }))).toMatchObject({ time: '2026-11-20T09:00:00Z' });
  });

  test.each(['"true"', '1', 'null', '"yes"', '[true]'])('deleted: %s is no tombstone', deleted => {
    expect(rowOf(`{"id":"a","deleted":${deleted}}`).deleted).toBe(false);
  });

  test('a threat that says deleted is no tombstone: only assets have them', () => {
    expect(rowOf('{"id":"t","deleted":true}', THREATS).deleted).toBe(false);
  });

  test('an id with escapes is read as the text that it means', () => {
    expect(rowOf('{"id":"\\u0061\\ud83d\\ude00\\n"}').id).toBe('a😀\n');
  });

  test.each(['"2026-11-20"', '1795166043', '"Fri, 20 Nov 2026 09:14:03 GMT"', 'null', '""'])(
    'updated_at %s is not passed off as a time',
    time => {
      expect(rowOf(`{"id":"a","updated_at":${time}}`).time).toBeUndefined();
    },
  );

  test.each(['{}', '[1]', 'true', 'null'])('stream_position %s is not passed off as a position', position => {
    expect(rowOf(`{"id":"a","stream_position":${position}}`).position).toBeUndefined();
  });
});

describe('rule 10: DNS blocks carry id and blocked_at, and need no updated_at or stream_position', () => {
  test('such a row is whole', () => {
    const row = rowOf('{"id":"d1","blocked_at":"2026-11-20T09:05:00.120Z"}', DNS_BLOCKS);
    expect(row).toMatchObject({ id: 'd1', time: '2026-11-20T09:05:00.120Z', position: undefined });
    expect(readEvent(lineOf(row, DNS_BLOCKS))).toMatchObject({ kind: 'dns_block', stream_position: null });
  });
});

describe('rule 11: the member that names the asset', () => {
  test('is the configured one', () => {
    expect(rowOf('{"id":"t","asset_id":"a","host":"b"}', THREATS).parent).toBe('a');
    expect(rowOf('{"id":"t","asset_id":"a","host":"b"}', THREATS, 'host').parent).toBe('b');
    expect(rowOf('{"id":"t","__proto__":"b"}', THREATS, '__proto__').parent).toBe('b');
  });

  test.each([undefined, null, '', 7, { id: 'a' }])('is absent when it is %j', parent => {
    expect(rowOf(JSON.stringify({ id: 't', asset_id: parent }), THREATS).parent).toBeUndefined();
  });

  test('means nothing on an asset', () => {
    expect(rowOf('{"id":"a","asset_id":"b","":"c"}').parent).toBeUndefined();
  });
});

describe('rule 13: a row that cannot be an event', () => {
  test.each([
    ['7', 'not-an-object'],
    ['null', 'not-an-object'],
    ['"a"', 'not-an-object'],
    ['[{"id":"a"}]', 'not-an-object'],
    ['{}', 'no-id'],
    ['{"id":""}', 'no-id'],
    ['{"id":7}', 'no-id'],
    ['{"id":null}', 'no-id'],
    ['{"id":["a"]}', 'no-id'],
    ['{"id":"a","id":""}', 'no-id'],
    [`{"id":"${'a'.repeat(6000)}"}`, 'id-too-long'],
  ])('%.40s is %s, kept as it was sent', (text, reason) => {
    expect(readText(text)).toMatchObject({ reason, text, rowHash: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  test('the same row has the same digest and fingerprint, so that it is stored once', () => {
    const [one, same, other] = [readText('{"x": 1}'), readText('{"x":1}'), readText('{"x":2}')];
    expect([same.rowHash, same.versionTag]).toEqual([one.rowHash, one.versionTag]);
    expect(other.versionTag).not.toBe(one.versionTag);
  });
});

test('a threat is written with its asset, which a reader can take for its own', () => {
  const row = rowOf(threat('t1', 'a"1', { position: 'p' }), THREATS);
  expect(readEvent(lineOf(row, THREATS))).toMatchObject({ id: 't1', asset_id: 'a"1', stream_position: 'p' });
});
