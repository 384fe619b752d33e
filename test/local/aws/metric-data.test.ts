import { GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { describe, expect, test } from '@jest/globals';
import { at, METRIC, query, SPAN, scene } from './metrics-scene.ts';

describe('GetMetricData', () => {
  test('returns each statistic of a period, newest first', async () => {
    await using each = await scene();
    each.controls.metrics.put(
      { ...METRIC, time: at(3), value: 12 },
      { ...METRIC, time: at(1), value: 5 },
      { ...METRIC, time: at(1) + 59_999, value: 1 },
    );
    for (const [stat, late, early] of [
      ['Sum', 12, 6],
      ['Maximum', 12, 5],
      ['SampleCount', 1, 2],
    ] as const) {
      expect(await each.data({ stat })).toEqual([
        [3, late],
        [1, early],
      ]);
    }
    expect(each.permissions[0]).toEqual(['cloudwatch:GetMetricData', '*']);
  });

  test('includes the start and excludes the end, and begins periods at the start, rounded down to the minute', async () => {
    await using each = await scene();
    for (const minute of [0, 4, 5, 29, 60]) each.controls.metrics.put({ ...METRIC, time: at(minute), value: 1 });
    expect(await each.data({ period: 300 })).toEqual([
      [25, 1],
      [5, 1],
      [0, 2],
    ]);
    const StartTime = new Date(at(4) + 30_000);
    expect(await each.data({ period: 1800 }, { StartTime })).toEqual([[4, 3]]);
    expect(await each.data({}, { StartTime, EndTime: new Date(at(29)) })).toEqual([
      [5, 1],
      [4, 1],
    ]);
  });

  test('assigns observations to their minute', async () => {
    await using each = await scene();
    each.controls.metrics.put({ ...METRIC, time: at(4) + 30_000, value: 1 });
    expect(await each.data({}, { EndTime: new Date(at(4) + 15_000) })).toEqual([[4, 1]]);
  });

  test('finds a metric by all of its dimensions in any order, never by some', async () => {
    await using each = await scene();
    each.controls.metrics.put({ ...METRIC, time: at(1), value: 1 });
    expect(await each.data({ dimensions: { Resource: 'poller', FunctionName: 'poller' } })).toEqual([[1, 1]]);
    const others: Record<string, string>[] = [{}, { Resource: 'poller' }, { FunctionName: 'x', Resource: 'poller' }];
    for (const dimensions of others) {
      expect(await each.data({ dimensions })).toEqual([]);
    }
  });

  test('returns an empty series for a metric without data', async () => {
    await using each = await scene();
    const MetricDataQueries = [{ ...query('b'), Label: 'mine' }];
    const answer = await each.client.send(new GetMetricDataCommand({ ...SPAN, MetricDataQueries }));
    expect(answer.MetricDataResults).toEqual([
      { Id: 'b', Label: 'mine', Timestamps: [], Values: [], StatusCode: 'Complete' },
    ]);
  });

  test.each([
    [
      'more than 500 metrics',
      Array.from({ length: 501 }, (_, n) => query(`q${n}`)),
      'must not have a size greater than 500',
    ],
    ['an unknown statistic', [query('q', { stat: 'Median' })], 'statistic'],
    ['an expression', [{ Id: 'q', Expression: 'SUM(METRICS())' }], 'is not a metric'],
  ])('refuses %s', async (_what, MetricDataQueries, message) => {
    await using each = await scene();
    await expect(each.client.send(new GetMetricDataCommand({ ...SPAN, MetricDataQueries }))).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringContaining(message),
      Code: 'ValidationError',
    });
  });
});
