import { describe, expect, test } from '@jest/globals';
import { type AlarmDefinition, evaluate, type State } from '../../../local/alarms/evaluate-alarm.ts';
import { seriesKey, TimeSeries } from '../../../local/alarms/time-series.ts';

const NAME = { namespace: 'Test', metric: 'Load', dimensions: { of: 'it' } };

const ALARM: AlarmDefinition = {
  name: 'three of three',
  namespace: 'Test',
  series: seriesKey(NAME),
  statistic: 'Sum',
  periodMinutes: 5,
  evaluationPeriods: 3,
  datapointsToAlarm: 3,
  threshold: 1,
  comparison: 'GreaterThanOrEqualToThreshold',
  missing: 'breaching',
  fill: undefined,
};

/** State after five points, oldest first: `X` breaching, `0` not, `-` missing. */
function stateAfter(points: string, alarm: Partial<AlarmDefinition>, before: State = 'OK'): State {
  const metrics = new TimeSeries();
  points.split(' ').forEach((point, index) => {
    if (point !== '-') metrics.add(NAME, 5 * index + 2, point === 'X' ? 1 : 0);
  });
  return evaluate({ ...ALARM, ...alarm }, metrics, 24, before);
}

describe('missing data, as the table in the CloudWatch user guide has it (three of three, five points)', () => {
  test.each([
    ['0 - X - X', 'OK', 'OK', 'OK'],
    ['- - - - 0', 'OK', 'OK', 'OK'],
    ['- - - - -', 'before', 'ALARM', 'OK'],
    ['0 X X - X', 'ALARM', 'ALARM', 'ALARM'],
    ['- - X - -', 'before', 'ALARM', 'OK'],
  ])('%s: ignore %s, breaching %s, notBreaching %s', (points, ignored, breaching, notBreaching) => {
    for (const before of ['OK', 'ALARM'] as const) {
      expect(stateAfter(points, { missing: 'ignore' }, before)).toBe(ignored === 'before' ? before : ignored);
    }
    expect(stateAfter(points, { missing: 'breaching' })).toBe(breaching);
    expect(stateAfter(points, { missing: 'notBreaching' })).toBe(notBreaching);
  });
});

describe('an alarm', () => {
  test('an alarm on a metric of DynamoDB ignores missing data whatever is set, unless an expression fills it', () => {
    const dynamodb = { namespace: 'AWS/DynamoDB', missing: 'notBreaching' } as const;
    expect(stateAfter('- - - - -', dynamodb, 'ALARM')).toBe('ALARM');
    expect(stateAfter('- - - - -', { ...dynamodb, fill: 0 }, 'ALARM')).toBe('OK');
  });

  test('an alarm with fewer points to alarm than periods fires on those, wherever they are', () => {
    expect(stateAfter('0 0 X 0 X', { datapointsToAlarm: 2 })).toBe('ALARM');
    expect(stateAfter('0 X 0 0 X', { datapointsToAlarm: 2 })).toBe('OK');
  });

  test.each([
    ['Sum', 4],
    ['Average', 2],
    ['Maximum', 3],
    ['Minimum', 1],
  ] as const)('an alarm takes the %s of a window', (statistic, threshold) => {
    const metrics = new TimeSeries();
    for (const value of [1, 3]) metrics.add(NAME, value, value);
    const one = { ...ALARM, statistic, threshold, evaluationPeriods: 1, datapointsToAlarm: 1 };
    expect(evaluate(one, metrics, 4, 'OK')).toBe('ALARM');
    expect(evaluate({ ...one, comparison: 'LessThanThreshold' }, metrics, 4, 'OK')).toBe('OK');
  });
});
