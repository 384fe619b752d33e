import { pathToFileURL } from 'node:url';
import { type Deployment, FUNCTION } from '../support/deployment.ts';
import { sqsQueueName } from '../support/queues.ts';
import type { CommandPage } from './command-page.ts';

/** So that always as much of the month has passed. */
const NOW = '2026-11-20T12:00:00Z';
const MONTH_START = Date.parse('2026-11-01T00:00:00Z');
const DAY_MILLISECONDS = 86_400_000;
const CLOCK = pathToFileURL(`${import.meta.dirname}/../support/fixed-clock.ts`).href;

export const cost: CommandPage = {
  command: 'cost',
  purpose: `The bill of the calendar month so far, in UTC, from the figures that CloudWatch counted, and what it comes to at the month's end if it goes on
like this; or, with any of the numbers, an estimate that needs no stack and no AWS. [cost.md](cost.md) has the formula, the prices and how sure each is.
The estimate is a model of what \`npm run cost\` counts, and a test holds the two together. A look costs about 20 metrics, 0.02 cent.`,
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

/** What an organization of some thousand assets uses in a day. */
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
