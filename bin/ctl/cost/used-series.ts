/** The CloudWatch figures that a month's bill is made of. */

import type { Deployment } from '../deployment/find-deployment.ts';
import type { Series } from '../metrics/read-metrics.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

export const FIGURES = [
  'duration',
  'invocations',
  'writeUnits',
  'readUnits',
  'bytes',
  'records',
  'puts',
  'bucketBytes',
  'logBytes',
  'requests',
] as const;

export type Figure = (typeof FIGURES)[number];

export interface UsedSeries {
  readonly figure: Figure;
  readonly series: Series;
}

export function usedSeries(deployment: Deployment): UsedSeries[] {
  const { functionName, table, deliveryStream, bucket, logGroup } = deployment;
  const sum = (figure: Figure, namespace: string, metric: string, dimensions: Readonly<Record<string, string>>) => ({
    figure,
    series: { namespace, metric, dimensions, statistic: 'Sum' as const, period: HOUR_SECONDS },
  });
  const stored = { BucketName: bucket, StorageType: 'StandardStorage' };
  return [
    sum('duration', 'AWS/Lambda', 'Duration', { FunctionName: functionName }),
    sum('invocations', 'AWS/Lambda', 'Invocations', { FunctionName: functionName }),
    sum('writeUnits', 'AWS/DynamoDB', 'ConsumedWriteCapacityUnits', { TableName: table }),
    sum('readUnits', 'AWS/DynamoDB', 'ConsumedReadCapacityUnits', { TableName: table }),
    sum('bytes', 'AWS/Firehose', 'IncomingBytes', { DeliveryStreamName: deliveryStream }),
    sum('records', 'AWS/Firehose', 'IncomingRecords', { DeliveryStreamName: deliveryStream }),
    sum('puts', 'AWS/Firehose', 'DeliveryToS3.Success', { DeliveryStreamName: deliveryStream }),
    sum('logBytes', 'AWS/Logs', 'IncomingBytes', { LogGroupName: logGroup }),
    ...queueNames(deployment).flatMap(QueueName =>
      QUEUE_METRICS.map(each => sum('requests', 'AWS/SQS', each, { QueueName })),
    ),
    {
      figure: 'bucketBytes',
      // S3 tells it once a day.
      series: {
        namespace: 'AWS/S3',
        metric: 'BucketSizeBytes',
        dimensions: stored,
        statistic: 'Maximum',
        period: DAY_SECONDS,
      },
    },
  ];
}

/** Each is a request, or comes with one. */
const QUEUE_METRICS = [
  'NumberOfMessagesSent',
  'NumberOfMessagesReceived',
  'NumberOfEmptyReceives',
  'NumberOfMessagesDeleted',
];

function queueNames({ scheduleDeadLetterQueueUrl, siem }: Deployment): string[] {
  const urls = [scheduleDeadLetterQueueUrl, ...(siem ? [siem.queueUrl, siem.deadLetterQueueUrl] : [])];
  return urls.map(url => url.split('/').at(-1) ?? '');
}
