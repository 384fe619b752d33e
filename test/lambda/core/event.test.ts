import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  cascadedWithdrawal,
  exceedsRecord,
  filteredWithdrawal,
  MAX_LINE_BYTES,
  missingWithdrawal,
  oversizeLine,
  type RowEvent,
  rowLine,
  withdrawnLine,
} from '../../../lambda/core/event.ts';
import type { Row } from '../../../lambda/core/row.ts';
import { sha256 } from '../../../lambda/system.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { readEvent } from '../support/event-schema.ts';
import { type AnyStream, ASSETS, CONTEXT, THREATS } from './support/streams.ts';

const SEQUENCE = '00000000010000000001';

const ROW: Row = {
  id: 'x',
  text: '{"id":"x"}',
  rowHash: 'd'.repeat(32),
  position: '"p1"',
  time: '2026-11-20T09:00:00Z',
  deleted: false,
  filter: 'send',
  parent: undefined,
  versionHash: sha256('delivery'),
  versionTag: undefined,
};

const rowEvent = (row: Row, stream: AnyStream, revision = ''): RowEvent => ({
  row,
  stream,
  sequence: SEQUENCE,
  revision,
});
const line = (change: Partial<Row> = {}, stream: AnyStream = ASSETS) =>
  rowLine(rowEvent({ ...ROW, ...change }, stream), CONTEXT);
const withdrawal = (id: string, tombstone = { id: 'a1', deletedAt: '2026-11-20T09:10:00Z', position: '"p2"' }) =>
  readEvent(
    withdrawnLine(
      cascadedWithdrawal({ id, removal: tombstone, stream: THREATS, sequence: SEQUENCE }, CONTEXT),
      CONTEXT,
    ),
  );

describe('event lines', () => {
  test('the event line of an asset has exactly the documented members', () => {
    expect(line()).toBe(
      `{"event_id":"${ROW.versionHash.slice(0, 32)}","sequence":"${SEQUENCE}","kind":"upsert","stream":"assets","id":"x",` +
        '"time":"2026-11-20T09:00:00Z","stream_position":"p1","connector":"acme",' +
        '"forwarded_at":"2026-11-20T09:15:00.412Z","row":{"id":"x"}}',
    );
  });

  test('any id, parent and connector name stay what they are, on one line', () => {
    const name = fc.oneof(fc.string({ unit: anyCharacter, minLength: 1 }), fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(name, name, name, (id, parent, connector) => {
        const event = readEvent(
          rowLine(rowEvent({ ...ROW, id, parent }, THREATS), {
            ...CONTEXT,
            connector,
          }),
        );
        expect([event.id, event.asset_id, event.connector]).toEqual([id, parent, connector]);
        expect(withdrawal(id, { id: parent, deletedAt: '2026-11-20T09:10:00Z', position: '1' })).toMatchObject({
          id,
          asset_id: parent,
        });
      }),
    );
  });

  test('stream_position is passed on as delivered, to the last digit', () => {
    expect(line({ position: '9007199254740993' })).toContain('"stream_position":9007199254740993,');
  });
});

describe('withdrawn events', () => {
  test('a tombstone without time or position still makes a withdrawn event', () => {
    const event = withdrawal('t1', { id: 'a1', deletedAt: undefined as never, position: undefined as never });
    expect(event).toMatchObject({ time: null, stream_position: null });
  });

  test('the event_id of a withdrawal is one per threat and tombstone, and another for a later removal of the same asset', () => {
    const tombstone = { id: 'a1', deletedAt: '2026-11-20T09:10:00Z', position: '"p2"' };
    const ids = [
      withdrawal('t1', tombstone),
      withdrawal('t1', { ...tombstone }),
      withdrawal('t2', tombstone),
      withdrawal('t1', { ...tombstone, position: '"p3"' }),
      withdrawal('t1', { ...tombstone, deletedAt: '2026-11-20T09:11:00Z' }),
      withdrawal('t1', { ...tombstone, id: 'a2' }),
    ].map(each => each.event_id);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(5);
  });

  test('a row that the API does not know any more is withdrawn with that reason, and again after it came back', () => {
    const missing = (revision: number) => {
      const row = { id: 't1', stream: THREATS, sequence: SEQUENCE, parent: 'a1', revision };
      return readEvent(withdrawnLine(missingWithdrawal(row, CONTEXT), CONTEXT));
    };
    expect(missing(0)).toMatchObject({
      kind: 'withdrawn',
      id: 't1',
      asset_id: 'a1',
      reason: 'not-found',
      time: CONTEXT.forwardedAt,
      stream_position: null,
    });
    expect(missing(0).event_id).toBe(missing(0).event_id);
    expect(missing(1).event_id).not.toBe(missing(0).event_id);
  });

  test('a row that the filter excludes is withdrawn with that reason, as often as the filter has changed', () => {
    const filtered = (revision: string) =>
      readEvent(withdrawnLine(filteredWithdrawal(rowEvent(ROW, ASSETS, revision), CONTEXT), CONTEXT));
    expect(filtered('')).toMatchObject({ kind: 'withdrawn', id: 'x', reason: 'filtered', stream_position: 'p1' });
    expect(filtered('0.1').event_id).not.toBe(filtered('').event_id);
  });
});

test('a row that comes back after a withdrawal has another event_id, oversize or not', () => {
  const deadLetter = 's3://dead-letters/x.json';
  const lines = ['', '1.0', '1.1'].flatMap(revision => [
    rowLine(rowEvent(ROW, THREATS, revision), CONTEXT),
    oversizeLine(rowEvent(ROW, THREATS, revision), CONTEXT, deadLetter),
  ]);
  expect(new Set(lines.map(each => readEvent(each).event_id)).size).toBe(6);
});

describe('rule 13: what Firehose takes as one record', () => {
  const filled = (bytes: number, filling: string) => filling.repeat(bytes / Buffer.byteLength(filling));

  test.each(['a', 'éé', '€€', '😀'])(
    '1,000 KiB of %j with the line feed fit one record, and one more byte does not',
    filling => {
      const room = MAX_LINE_BYTES - 1;
      const rest = room % Buffer.byteLength(filling);
      const line = filled(room - rest, filling) + 'a'.repeat(rest);
      expect([exceedsRecord(line), exceedsRecord(`${line}a`)]).toEqual([false, true]);
    },
  );

  test('an oversize event points to the row, does not contain it, and has another event_id than the row', () => {
    const event = readEvent(oversizeLine(rowEvent(ROW, ASSETS), CONTEXT, 's3://dead-letters/x.json'));
    expect(event).toMatchObject({ kind: 'oversize', id: 'x', dead_letter: 's3://dead-letters/x.json' });
    expect(event.event_id).not.toBe(readEvent(line()).event_id);
  });
});
