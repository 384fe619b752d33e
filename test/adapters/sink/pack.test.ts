import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_LINE_BYTES } from '../../../lambda/core/event.ts';
import { packRecords } from '../../../lambda/core/records.ts';
import { packCalls } from '../../../lambda/sink/firehose.ts';

const text = (records: readonly Uint8Array[]) => Buffer.concat(records).toString();
const ofBytes = (bytes: number) => new Uint8Array(bytes);
const KIB = 1024;

describe('records', () => {
  test('records hold all lines in order, up to 1,000 KiB and 500 lines per record', () => {
    const sizes = fc.array(fc.oneof(fc.nat({ max: 2000 }), fc.integer({ min: 100_000, max: 1_023_999 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(sizes, fc.constantFrom('a', 'é'), (each, filling) => {
        const lines = each.map((size, index) => `${index}${filling.repeat(size / (2 * filling.length))}`);
        const records = packRecords(lines);
        expect(text(records)).toBe(lines.map(line => `${line}\n`).join(''));
        for (const { byteLength } of records) expect(byteLength).toBeLessThanOrEqual(MAX_LINE_BYTES);
        for (const record of records) expect(record.at(-1)).toBe(0x0a);
      }),
      { numRuns: 30 },
    );
  });

  test('501 event lines make two records, because Firehose fails to deaggregate more than 500 lines', () => {
    const records = packRecords(Array.from({ length: 501 }, () => '{}'));
    expect(records.map(({ byteLength }) => byteLength)).toEqual([500 * 3, 3]);
  });

  test('a record is filled to exactly 1,000 KiB and not a byte more', () => {
    expect(packRecords(['a'.repeat(1_023_997), 'b'])).toHaveLength(1);
    expect(packRecords(['a'.repeat(1_023_998), 'b'])).toHaveLength(2);
    expect(packRecords([`${'é'.repeat(511_999)}a`])[0]!.byteLength).toBe(MAX_LINE_BYTES);
  });

  test('an empty list of lines makes neither a record nor a call', () => {
    expect(packCalls(packRecords([]))).toEqual([]);
  });
});

describe('calls', () => {
  test('calls to Firehose hold all records in order, up to 500 records and 4 MiB of JSON', () => {
    const sizes = fc.array(fc.oneof(fc.nat({ max: 6 * KIB }), fc.integer({ min: 1, max: MAX_LINE_BYTES })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(sizes, each => {
        const records = each.map(ofBytes);
        const calls = packCalls(records);
        expect(calls.flat()).toEqual(records);
        for (const call of calls) expect(call.length).toBeLessThanOrEqual(500);
        for (const call of calls) {
          const Records = call.map(record => ({ Data: Buffer.from(record).toString('base64') }));
          expect(JSON.stringify({ DeliveryStreamName: 'n'.repeat(64), Records }).length).toBeLessThanOrEqual(
            4 * KIB * KIB,
          );
        }
      }),
      { numRuns: 20 },
    );
  });

  test('501 records make two calls to Firehose', () => {
    expect(packCalls(Array.from({ length: 501 }, () => ofBytes(10))).map(call => call.length)).toEqual([500, 1]);
  });

  test('a call to Firehose holds at most three full records', () => {
    const full = Array.from({ length: 4 }, () => ofBytes(MAX_LINE_BYTES));
    expect(packCalls(full).map(call => call.length)).toEqual([3, 1]);
  });
});
