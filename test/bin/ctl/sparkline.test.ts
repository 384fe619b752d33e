import { describe, expect, test } from '@jest/globals';
import { sparkline } from '../../../bin/ctl/commands/status/sparklines.ts';

describe('a sparkline', () => {
  test('shows the greatest value as a full bar, zero as the lowest bar, and a missing value as a space', () => {
    expect(sparkline([0, 1, 8, undefined, 4])).toBe('▁▂█ ▅');
  });

  test('shows a value above zero higher than zero, even when the other values are far greater', () => {
    expect(sparkline([1, 1_000_000])).toBe('▂█');
  });

  test('of zeros alone is flat, and of nothing is empty', () => {
    expect([sparkline([0, 0]), sparkline([])]).toEqual(['▁▁', '']);
  });
});
