import { pathToFileURL } from 'node:url';
import type { CommandPage } from '../cli-reference/command-page.ts';
import { type Deployment, FUNCTION } from '../support/deployment.ts';
import { sqsQueueName } from '../support/queues.ts';

/** A fixed date, so that the projection does not change. */
const NOW = '2026-11-20T12:00:00Z';
const MONTH_START = Date.parse('2026-11-01T00:00:00Z');
const DAY_MILLISECONDS = 86_400_000;
const CLOCK = pathToFileURL(`${import.meta.dirname}/../support/fixed-clock.ts`).href;

export const cost: CommandPage = {
  command: 'cost',
  purpose: `Shows the cost of the calendar month in UTC, from the metrics of CloudWatch, and its projection to the end of the month. With any of the
numbers it estimates the cost without a stack and without AWS. [cost.md](cost.md) has the formula, the prices and their sources.
The estimate models what \`npm run cost\` counts, and a test compares the two. A call reads about 20 metrics for 0.02 cent.`,
  choices: { aws: { now: () => Date.parse(NOW) } },
  scenes: [
    {
      before: useEachDay,
      args: ['cost'],
      environment: () => ({ NODE_OPTIONS: `--import=${CLOCK}`, FIXED_TIME: NOW }),
    },
    { says: 'Without AWS:', args: ['cost', '--assets', '10000', '--threats', '40000', '--changes-per-day', '60000'] },
  ],
};

/** Daily use of an organization with some thousand assets. */
function useEachDay({ stack }: Deployment): void {
  const { StateTableName, DeliveryStreamName, LogGroupName, BucketName, SiemQueueUrl } = stack.outputs;
  const daily: readonly [
    namespace: string,
    name: string,
    dimensions: Readonly<Record<string, string>>,
    value: number,
  ][] = [
    ['AWS/Lambda', 'Invocations', { FunctionName: FUNCTION }, 1_440],
    ['AWS/Lambda', 'Duration', { FunctionName: FUNCTION }, 650_000],
    ['AWS/DynamoDB', 'ConsumedWriteCapacityUnits', { TableName: StateTableName! }, 118_000],
    ['AWS/DynamoDB', 'ConsumedReadCapacityUnits', { TableName: StateTableName! }, 73_000],
    ['AWS/Firehose', 'IncomingBytes', { DeliveryStreamName: DeliveryStreamName! }, 72_000_000],
    ['AWS/Firehose', 'IncomingRecords', { DeliveryStreamName: DeliveryStreamName! }, 2_880],
    ['AWS/Firehose', 'DeliveryToS3.Success', { DeliveryStreamName: DeliveryStreamName! }, 1_440],
    ['AWS/Logs', 'IncomingBytes', { LogGroupName: LogGroupName! }, 6_000_000],
    ['AWS/SQS', 'NumberOfMessagesSent', { QueueName: sqsQueueName(SiemQueueUrl) }, 1_440],
    ['AWS/SQS', 'NumberOfMessagesReceived', { QueueName: sqsQueueName(SiemQueueUrl) }, 1_440],
    ['AWS/SQS', 'NumberOfMessagesDeleted', { QueueName: sqsQueueName(SiemQueueUrl) }, 1_440],
    ['AWS/S3', 'BucketSizeBytes', { BucketName: BucketName!, StorageType: 'StandardStorage' }, 3_100_000_000],
  ];
  for (let time = MONTH_START; time < Date.parse(NOW); time += DAY_MILLISECONDS) {
    for (const [namespace, name, dimensions, value] of daily)
      stack.metrics.put({ namespace, name, dimensions, value, time });
  }
}
