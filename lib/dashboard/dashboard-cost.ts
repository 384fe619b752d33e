import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { PRICES } from '../cost/prices.ts';
import type { DashboardMetrics } from './dashboard-metrics.ts';

/** What a day costs, by part, estimated from counted use. Firehose bills more than these bytes where records are small. */
export function costWidget(metrics: DashboardMetrics, memoryMegabytes: number): cloudwatch.IWidget {
  const gigabyteMillisecond = (PRICES.lambdaGigabyteSecond.dollars * memoryMegabytes) / 1024 / 1000;
  return new cloudwatch.GraphWidget({
    title: 'Estimated US dollars a day (list prices of us-east-1)',
    width: 24,
    stacked: true,
    left: [
      dollars('Lambda', {
        duration: [only(metrics.service('function', 'Duration', 'Sum')), gigabyteMillisecond],
        runs: [only(metrics.service('function', 'Invocations', 'Sum')), PRICES.lambdaRequest.dollars],
      }),
      dollars('DynamoDB', {
        writes: [only(metrics.service('state', 'ConsumedWriteCapacityUnits', 'Sum')), PRICES.tableWriteUnit.dollars],
        reads: [only(metrics.service('state', 'ConsumedReadCapacityUnits', 'Sum')), PRICES.tableReadUnit.dollars],
      }),
      dollars('Firehose', {
        bytes: [only(metrics.service('delivery', 'IncomingBytes', 'Sum')), PRICES.firehoseGigabyte.dollars / 2 ** 30],
      }),
    ],
  });
}

function dollars(label: string, parts: Record<string, [cloudwatch.IMetric, number]>): cloudwatch.MathExpression {
  const terms = Object.entries(parts).map(([name, [, price]]) => `FILL(${name}, 0) * ${price.toFixed(15)}`);
  return new cloudwatch.MathExpression({
    label,
    expression: terms.join(' + '),
    usingMetrics: Object.fromEntries(Object.entries(parts).map(([name, [metric]]) => [name, metric])),
    period: Duration.days(1),
  });
}

function only(metrics: cloudwatch.Metric[]): cloudwatch.Metric {
  return metrics[0] as cloudwatch.Metric;
}
