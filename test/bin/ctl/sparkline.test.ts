import { describe, expect, test } from '@jest/globals';
import { sparkline } from '../../../bin/ctl/commands/status/sparklines.ts';

describe('a sparkline', () => {
  test('has the greatest value as high as it goes, zero as low, and a space where there is no value', () => {
    expect(sparkline([0, 1, 8, undefined, 4])).toBe('▁▂█ ▅');
  });

  test('never shows a value above zero as low as zero, however small it is beside the others', () => {
    expect(sparkline([1, 1_000_000])).toBe('▂█');
  });

  test('of zeros alone is flat, and of nothing is empty', () => {
    expect([sparkline([0, 0]), sparkline([])]).toEqual(['▁▁', '']);
  });
});
