import { describe, expect, test } from '@jest/globals';
import { type AlarmDefinition, type AlarmStateName, evaluateAlarm } from '../../../local/alarms/evaluate-alarm.ts';
import { RecordedMetrics, seriesKey } from '../../../local/alarms/time-series.ts';

const NAME = { namespace: 'Test', metric: 'Load', dimensions: { of: 'it' } };

const ALARM: AlarmDefinition = {
  name: 'three of three',
  series: seriesKey(NAME),
  statistic: 'Sum',
  periodMinutes: 5,
  evaluationPeriods: 3,
  threshold: 1,
  comparison: 'GreaterThanOrEqualToThreshold',
  missing: 'breaching',
  fill: undefined,
};

/** State after five points, oldest first: `X` breaching, `0` not, `-` missing. */
function stateAfter(points: string, alarm: Partial<AlarmDefinition>): AlarmStateName {
  const metrics = new RecordedMetrics();
  points.split(' ').forEach((point, index) => {
    if (point !== '-') metrics.add(NAME, 5 * index + 2, point === 'X' ? 1 : 0);
  });
  return evaluateAlarm({ ...ALARM, ...alarm }, metrics, 24);
}

describe('missing data in the table of the CloudWatch user guide (three of three, five points)', () => {
  test.each([
    ['0 - X - X', 'OK', 'OK'],
    ['- - - - 0', 'OK', 'OK'],
    ['- - - - -', 'ALARM', 'OK'],
    ['0 X X - X', 'ALARM', 'ALARM'],
    ['- - X - -', 'ALARM', 'OK'],
  ])(
    'an alarm with the points %s is %s if missing points breach, and otherwise %s',
    (points, breaching, notBreaching) => {
      expect(stateAfter(points, { missing: 'breaching' })).toBe(breaching);
      expect(stateAfter(points, { missing: 'notBreaching' })).toBe(notBreaching);
    },
  );
});

describe('an alarm', () => {
  test('an alarm whose expression fills missing points uses the filled points', () => {
    expect(stateAfter('X X X - -', { missing: 'notBreaching' })).toBe('ALARM');
    expect(stateAfter('X X X - -', { missing: 'notBreaching', fill: 0 })).toBe('OK');
  });

  test.each([
    ['Sum', 4],
    ['Average', 2],
    ['Maximum', 3],
    ['Minimum', 1],
  ] as const)('an alarm compares the %s of its window with the threshold', (statistic, threshold) => {
    const metrics = new RecordedMetrics();
    for (const value of [1, 3]) metrics.add(NAME, value, value);
    const one = { ...ALARM, statistic, threshold, evaluationPeriods: 1 };
    expect(evaluateAlarm(one, metrics, 4)).toBe('ALARM');
    expect(evaluateAlarm({ ...one, comparison: 'LessThanThreshold' }, metrics, 4)).toBe('OK');
  });
});
