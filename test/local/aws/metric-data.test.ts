import { GetMetricDataCommand, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import { describe, expect, test } from '@jest/globals';
import { at, DAY, METRIC, NOW, query, SPAN, scene } from './metrics-scene.ts';

describe('GetMetricData', () => {
  test('gives each statistic of a period, the newest first', async () => {
    await using each = await scene();
    each.controls.metrics.put(
      { ...METRIC, time: at(1), value: 5 },
      { ...METRIC, time: at(1) + 59_999, value: 1 },
      { ...METRIC, time: at(3), value: 12, count: 3, minimum: 2, maximum: 6 },
    );
    for (const [stat, late, early] of [
      ['Sum', 12, 6],
      ['Average', 4, 3],
      ['Minimum', 2, 1],
      ['Maximum', 6, 5],
      ['SampleCount', 3, 2],
    ] as const) {
      expect(await each.data({ stat })).toEqual([
        [3, late],
        [1, early],
      ]);
    }
    expect(each.permissions[0]).toEqual(['cloudwatch:GetMetricData', '*']);
  });

  test('gives percentiles of single values, and none of sums', async () => {
    await using each = await scene();
    for (let value = 1; value <= 100; value += 1) each.controls.metrics.put({ ...METRIC, time: at(5), value });
    expect(await each.data({ stat: 'p99' })).toEqual([[5, 99]]);
    expect(await each.data({ stat: 'p50' })).toEqual([[5, 50]]);
    each.controls.metrics.put({ ...METRIC, time: at(5), value: 12, count: 3, minimum: 2, maximum: 6 });
    expect(await each.data({ stat: 'p99' })).toEqual([]);
  });

  test('takes the start in and leaves the end out; periods begin at the start, rounded down to the minute', async () => {
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

  test('counts what was observed within a minute to the minute', async () => {
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

  test('of data that are no longer kept by the minute needs a longer period, and ends after 455 days', async () => {
    await using each = await scene();
    const days = [14, 16, 64, 456];
    for (const day of days) each.controls.metrics.put({ ...METRIC, time: NOW - day * DAY, value: day });
    const found = async (period: number) => {
      const input = { StartTime: new Date(NOW - 500 * DAY), EndTime: new Date(NOW) };
      return (await each.data({ period }, input)).map(([, value]) => value);
    };
    expect(await found(60)).toEqual([14]);
    expect(await found(300)).toEqual([14, 16]);
    expect(await found(3600)).toEqual([14, 16, 64]);
  });

  test('continues page by page, marks incomplete series, and is ascending on request', async () => {
    await using each = await scene(4);
    for (let minute = 0; minute < 5; minute += 1)
      each.controls.metrics.put({ ...METRIC, time: at(minute), value: minute });
    const ask = {
      ...SPAN,
      MetricDataQueries: [query('a'), query('b', { stat: 'Maximum' })],
      ScanBy: 'TimestampAscending' as const,
    };
    const pages: unknown[] = [];
    for await (const page of paginateGetMetricData({ client: each.client }, ask)) {
      pages.push(page.MetricDataResults!.map(({ Id, Label, Values, StatusCode }) => [Id, Label, Values, StatusCode]));
    }
    expect(pages).toEqual([
      [
        ['a', 'Duration', [0, 1, 2, 3], 'PartialData'],
        ['b', 'Duration', [], 'PartialData'],
      ],
      [
        ['a', 'Duration', [4], 'Complete'],
        ['b', 'Duration', [0, 1, 2], 'PartialData'],
      ],
      [
        ['a', 'Duration', [], 'Complete'],
        ['b', 'Duration', [3, 4], 'Complete'],
      ],
    ]);
    const strange = each.client.send(new GetMetricDataCommand({ ...ask, NextToken: 'strange' }));
    await expect(strange).rejects.toMatchObject({ name: 'InvalidNextToken' });
  });

  test('leaves out a query whose data are not to be returned, and gives an empty series for a metric without data', async () => {
    await using each = await scene();
    const MetricDataQueries = [
      { ...query('a'), ReturnData: false },
      { ...query('b'), Label: 'mine' },
    ];
    const answer = await each.client.send(new GetMetricDataCommand({ ...SPAN, MetricDataQueries }));
    expect(answer.MetricDataResults).toEqual([
      { Id: 'b', Label: 'mine', Timestamps: [], Values: [], StatusCode: 'Complete' },
    ]);
    expect(answer.NextToken).toBeUndefined();
  });
});
