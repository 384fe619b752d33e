import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type EventContext,
  eventLine,
  exceedsRecord,
  MAX_LINE_BYTES,
  oversizeLine,
  type RowEvent,
  rowLine,
  type Withdrawal,
  withdrawnLine,
} from '../../lambda/core/event.ts';
import type { Row } from '../../lambda/core/row.ts';
import { sha256 } from '../../lambda/system.ts';
import { anyCharacter } from '../support/any-character.ts';
import { threat } from '../support/core/rows.ts';
import { type AnyStream, ASSETS, CONTEXT, DNS_BLOCKS, rowOf, THREATS } from '../support/core/streams.ts';
import { readEvent } from '../support/function/event-schema.ts';

const SEQUENCE = '00000000010000000001';

const ROW: Row = {
  id: 'x',
  text: '{"id":"x"}',
  rowHash: 'd'.repeat(32),
  wholeHash: 'e'.repeat(32),
  position: '"p1"',
  time: '2026-11-20T09:00:00Z',
  deleted: false,
  filter: 'send',
  parent: undefined,
  versionTag: undefined,
};

const event = (row: Partial<Row> = {}, stream: AnyStream = ASSETS, sequence = SEQUENCE): RowEvent => ({
  row: { ...ROW, ...row },
  stream,
  sequence,
});
const eventOf = (...of: Parameters<typeof event>) => readEvent(rowLine(event(...of), CONTEXT));
const withdrawal = (change: Partial<Withdrawal> = {}, context: Partial<EventContext> = {}) => {
  const subject = { id: 't1', time: '2026-11-20T09:10:00Z', position: '"p2"' };
  const whole = { stream: THREATS, sequence: SEQUENCE, subject, parent: 'a1', ...change };
  return readEvent(withdrawnLine(whole, { ...CONTEXT, ...context }));
};

describe('event lines', () => {
  test('the event line of an asset has exactly the documented members', () => {
    const eventId = sha256(['table', 'acme', 'assets', 'upsert', SEQUENCE, ROW.rowHash, 'x'].join('\n')).slice(0, 32);
    expect(rowLine(event(), CONTEXT)).toBe(
      `{"event_id":"${eventId}","sequence":"${SEQUENCE}","kind":"upsert","stream":"assets","id":"x",` +
        '"time":"2026-11-20T09:00:00Z","stream_position":"p1","connector":"acme",' +
        '"forwarded_at":"2026-11-20T09:15:00.412Z","row":{"id":"x"}}',
    );
  });

  test('an event contains any id, parent or connector name unchanged, on one line', () => {
    const name = fc.oneof(fc.string({ unit: anyCharacter, minLength: 1 }), fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(name, name, name, (id, parent, connector) => {
        const sent = readEvent(rowLine(event({ id, parent }, THREATS), { ...CONTEXT, connector }));
        expect(sent.id).toEqual(id);
        expect(sent.asset_id).toEqual(parent);
        expect(sent.connector).toEqual(connector);
        const subject = { id, time: undefined, position: '1' };
        expect(withdrawal({ subject, parent }, { connector })).toMatchObject({ id, asset_id: parent, connector });
      }),
    );
  });

  test('stream_position is sent as the API delivered it, to the last digit', () => {
    const line = rowLine(event({ position: '9007199254740993' }), CONTEXT);
    expect(line).toContain('"stream_position":9007199254740993,');
  });
});

describe('the event_id', () => {
  test('two events of a row share an event_id only if all values that identify an event are equal', () => {
    const later = '00000000010000000002';
    const ids = [
      eventOf(),
      eventOf({}, ASSETS, later),
      eventOf({ rowHash: 'e'.repeat(32) }),
      eventOf({ id: 'y' }),
      eventOf({}, THREATS),
      eventOf({ deleted: true, text: '{"id":"x","deleted":true}' }),
      ...[{ tableId: 'other' }, { connector: 'other' }].map(change =>
        readEvent(rowLine(event(), { ...CONTEXT, ...change })),
      ),
      readEvent(oversizeLine(event(), CONTEXT, 's3://dead-letters/x.json')),
    ].map(({ event_id }) => event_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(eventOf({ position: '"p9"' }).event_id).toBe(ids[0]);
  });

  test('two events of a DNS block have the same event_id exactly when the whole rows are equal', () => {
    const first = eventOf({}, DNS_BLOCKS).event_id;
    const later = event({ rowHash: 'f'.repeat(32), position: '"p9"' }, DNS_BLOCKS, '00000000010000000002');
    expect(readEvent(rowLine(later, { ...CONTEXT, tableId: 'other' })).event_id).toBe(first);
    expect(eventOf({ wholeHash: 'f'.repeat(32) }, DNS_BLOCKS).event_id).not.toBe(first);
  });

  test('two withdrawals have the same event_id only when row, sequence, reason and table are equal', () => {
    const ids = [
      withdrawal(),
      withdrawal({ sequence: '00000000010000000002' }),
      withdrawal({ reason: 'filtered' }),
      withdrawal({ subject: { id: 't2', time: undefined, position: undefined } }),
      withdrawal({}, { tableId: 'other' }),
    ].map(({ event_id }) => event_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(withdrawal({ parent: 'a2' }).event_id).toBe(ids[0]);
  });
});

describe('withdrawn events', () => {
  test('a removal without time or position is sent as a withdrawn event', () => {
    const subject = { id: 't1', time: undefined, position: undefined };
    expect(withdrawal({ subject })).toMatchObject({ id: 't1', time: null, stream_position: null });
  });

  test.each([undefined, 'filtered', 'not-listed'] as const)('the member reason of a withdrawn event is %s', reason => {
    expect(withdrawal({ reason }).reason).toBe(reason);
  });
});

describe('rule 13: the size of one record of Firehose', () => {
  const filled = (bytes: number, filling: string) => filling.repeat(bytes / Buffer.byteLength(filling));

  test.each(['a', 'éé', '€€', '😀'])(
    'a line of %j may have 1,000 KiB including its line feed, but not one byte more',
    filling => {
      const room = MAX_LINE_BYTES - 1;
      const rest = room % Buffer.byteLength(filling);
      const line = filled(room - rest, filling) + 'a'.repeat(rest);
      expect(exceedsRecord(line)).toBe(false);
      expect(exceedsRecord(`${line}a`)).toBe(true);
    },
  );

  test.each([
    ['asset_id', threat('t', 'a'.repeat(1_024_000))],
    ['stream_position', threat('t', 'a', { position: 'p'.repeat(1_024_000) })],
    ['updated_at', threat('t', 'a', { updated_at: `2026-11-20T09:00:00.${'0'.repeat(1_024_000)}Z` })],
  ])('an oversize event is small and names its dead letter if the member %s is too large', (_member, text) => {
    const row = rowOf(text, THREATS);
    const locate = ({ rowHash }: { readonly rowHash: string }) => `s3://dead-letters/${rowHash}.json`;
    const { line, deadLetter } = eventLine({ row, stream: THREATS, sequence: SEQUENCE }, CONTEXT, locate);
    expect(readEvent(line)).toMatchObject({ kind: 'oversize', id: 't', dead_letter: locate(row) });
    expect(deadLetter).toEqual({ stream: 'threats', reason: 'oversize', row: text, rowHash: row.rowHash });
    expect(Buffer.byteLength(line)).toBeLessThan(100_000);
  });
});
