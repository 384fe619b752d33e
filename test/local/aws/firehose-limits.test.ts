import { describe, expect, test } from '@jest/globals';
import { limitFault } from '../../../local/aws/firehose.ts';

describe('limits of a call to Firehose', () => {
  test('500 records are taken, 501 and none are refused', () => {
    expect(limitFault(Array(500).fill(1))).toBeUndefined();
    expect(limitFault(Array(501).fill(1))?.message).toMatch(/less than or equal to 500$/);
    expect(limitFault([])?.message).toMatch(/greater than or equal to 1$/);
  });

  test('a record of 1,024,000 bytes is taken, one byte more is refused, and the record is named', () => {
    expect(limitFault([1_024_000])).toBeUndefined();
    expect(limitFault([1, 1_024_001])).toEqual({
      code: 'ValidationException',
      message: expect.stringMatching(/^1 validation error detected: .*records\.2\.member/),
    });
  });

  test('4 MiB in a call are taken, one byte more is refused', () => {
    const records = [1_024_000, 1_024_000, 1_024_000, 1_024_000, 98_304];
    expect(limitFault(records)).toBeUndefined();
    expect(limitFault([...records, 1])).toEqual({
      code: 'InvalidArgumentException',
      message: 'Records size exceeds 4 MB limit',
    });
  });
});
