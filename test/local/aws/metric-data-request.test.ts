import { GetMetricDataCommand, type GetMetricDataCommandInput } from '@aws-sdk/client-cloudwatch';
import { expect, test } from '@jest/globals';
import { query, SPAN, scene } from './metrics-scene.ts';

test.each<[string, Partial<GetMetricDataCommandInput>, string]>([
  [
    'a span that ends where it starts',
    { EndTime: SPAN.StartTime },
    'The parameter StartTime must not equal parameter EndTime.',
  ],
  [
    'a span that ends before it starts',
    { EndTime: new Date(0) },
    'The parameter StartTime must be less than the parameter EndTime.',
  ],
  ['no queries', { MetricDataQueries: [] }, 'MetricDataQueries is required'],
  [
    'more than 500',
    { MetricDataQueries: Array.from({ length: 501 }, (_, n) => query(`q${n}`)) },
    'must not have a size greater than 500',
  ],
  ['two queries of one id', { MetricDataQueries: [query('q'), query('q')] }, 'are not unique'],
  [
    'an id that begins with a capital',
    { MetricDataQueries: [query('Q')] },
    'The value Q for parameter MetricDataQueries.member.1.Id',
  ],
  [
    'a period of 90 seconds',
    { MetricDataQueries: [query('q', { period: 90 })] },
    'Period must be 1, 5, 10, 20, 30 or a multiple of 60',
  ],
  ['an unknown statistic', { MetricDataQueries: [query('q', { stat: 'Median' })] }, 'The value Median'],
  ['an expression', { MetricDataQueries: [{ Id: 'q', Expression: 'SUM(METRICS())' }] }, 'it computes no expressions'],
])('GetMetricData refuses %s', async (_what, input, message) => {
  await using each = await scene();
  const command = new GetMetricDataCommand({ ...SPAN, MetricDataQueries: [query('q')], ...input });
  await expect(each.client.send(command)).rejects.toMatchObject({
    name: 'ValidationException',
    message: expect.stringContaining(message),
    Code: 'ValidationError',
    $metadata: { httpStatusCode: 400 },
  });
});
