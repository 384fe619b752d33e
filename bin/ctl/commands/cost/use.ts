/** Reads what a deployed connector has used this month, and prices it. */
import { paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { streamsOn } from '../../../../lambda/streams.ts';
import { type BillLine, billLine, type Fixed, fixedParts, GIGABYTE } from '../../../../lib/cost/bill.ts';
import { seriesOf } from '../../../../lib/cost/estimate.ts';
import type { Context } from '../../context.ts';
import type { Deployment } from '../../deployment.ts';
import { AwsCallError } from '../../errors.ts';
import { type Point, readMetrics, type Series } from '../../metrics.ts';
import { tableSize } from '../../state.ts';
import type { Month } from './cost.ts';

/** @throws RefusedError, AwsCallError */
export async function readUse(context: Context, month: Month): Promise<Use> {
  const { aws, clock } = context;
  const deployment = await context.deployment();
  const now = clock.now();
  const used = usedSeries(deployment);
  const [points, fixed, size] = await Promise.all([
    readMetrics(
      aws,
      used.map(({ series }) => series),
      { start: month.start, now },
    ),
    fixedOf(context),
    tableSize(aws, deployment.table),
  ]);
  const figures = Object.fromEntries(
    FIGURES.map(figure => [
      figure,
      figureOf(
        figure,
        points.filter((_, at) => used[at]!.figure === figure),
      ),
    ]),
  ) as Record<Figure, number>;
  const length = month.end - month.start;
  const first = firstRun(points[used.findIndex(({ figure }) => figure === 'invocations')] ?? [], now);
  return {
    figures,
    fixed,
    tableBytes: size.bytes,
    metrics: await seriesCount(context),
    passed: (now - month.start) / length,
    gathered: (now - first) / length,
  };
}

/** The newest value of stored bytes, the sum of everything else. */
function figureOf(figure: Figure, series: readonly Point[][]): number {
  if (figure === 'bucketBytes') return series[0]?.[0]?.value ?? 0;
  return series.flat().reduce((sum, { value }) => sum + value, 0);
}

/** A stack costs nothing before its first run. */
function firstRun(invocations: readonly Point[], now: number): number {
  return Math.min(now, ...invocations.filter(({ value }) => value > 0).map(({ time }) => time));
}

/** CloudWatch has no metric of billed metrics, so they are counted by stream. */
async function seriesCount(context: Context): Promise<number> {
  const environment = await context.environment();
  return seriesOf(streamsOn(({ pathSetting }) => environment[pathSetting]));
}

async function fixedOf(context: Context): Promise<Fixed> {
  const { stackName, functionName, connector, outputs } = await context.deployment();
  const alarms: string[] = [];
  try {
    const pages = paginateListStackResources({ client: context.aws.cloudFormation() }, { StackName: stackName });
    for await (const { StackResourceSummaries: resources = [] } of pages) {
      // The stack may hold other connectors, and other things.
      const own = resources.filter(each => isAlarmOf(connector, each.PhysicalResourceId));
      alarms.push(...own.map(({ ResourceType: type = '' }) => type));
    }
    const command = new GetFunctionConfigurationCommand({ FunctionName: functionName });
    const { MemorySize: memory } = await context.aws.lambda().send(command);
    const count = (type: string) => alarms.filter(each => each === type).length;
    const usual = fixedParts();
    return {
      ...usual,
      memoryMegabytes: memory ?? usual.memoryMegabytes,
      alarms: count('AWS::CloudWatch::Alarm'),
      compositeAlarms: count('AWS::CloudWatch::CompositeAlarm'),
      dashboards: outputs.has('DashboardName') ? 1 : 0,
      // Each secret that is created has an output with the command that fills it.
      secrets: ['FillCredentials', 'FillToken'].filter(each => outputs.has(each)).length,
    };
  } catch (cause) {
    throw new AwsCallError(
      `The parts of stack ${stackName} could not be listed`,
      'Nothing was changed. You need cloudformation:ListStackResources and lambda:GetFunctionConfiguration.',
      cause,
    );
  }
}

/** By name or by ARN: CloudFormation has the one for an alarm, and may have the other for a composite alarm. */
function isAlarmOf(connector: string, physicalId = ''): boolean {
  return physicalId.split(':alarm:').at(-1)!.startsWith(`${connector}/`);
}

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
      // S3 reports it once a day.
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

/** Each counts a request. */
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

export interface Use {
  /** Sums of this month, newest value for `bucketBytes`. */
  readonly figures: Readonly<Record<Figure, number>>;
  readonly tableBytes: number;
  readonly fixed: Fixed;
  /** Number of metrics of the function. */
  readonly metrics: number;
  /** Share of the month that has passed. */
  readonly passed: number;
  /** Share of the month since the stack's first run. */
  readonly gathered: number;
}

export interface UsedLine extends BillLine {
  /** Dollars at the end of the month at the current rate. */
  readonly projected: number;
}

const FIREHOSE_STEP = 5 * 1024;

/** Metered lines grow with use, monthly lines with time. */
export function usedLines(use: Use): UsedLine[] {
  const { figures, fixed, metrics, tableBytes, passed, gathered } = use;
  const metered = (line: BillLine): UsedLine => ({
    ...line,
    projected: gathered === 0 ? 0 : (line.dollars / gathered) * (gathered + 1 - passed),
  });
  const monthly = (line: BillLine): UsedLine => ({
    ...line,
    quantity: line.quantity * gathered,
    dollars: line.dollars * gathered,
    projected: line.dollars * (gathered + 1 - passed),
  });
  const gigabyteSeconds = (figures.duration / 1000) * (fixed.memoryMegabytes / 1024);
  return [
    monthly(billLine('CloudWatch metrics', 'metricMonth', metrics)),
    monthly(billLine('CloudWatch alarms', 'alarmMonth', fixed.alarms)),
    monthly(billLine('CloudWatch alarms', 'compositeAlarmMonth', fixed.compositeAlarms)),
    monthly(billLine('CloudWatch dashboard', 'dashboardMonth', fixed.dashboards)),
    metered(billLine('CloudWatch logs', 'logGigabyte', figures.logBytes / GIGABYTE)),
    metered(billLine('Lambda', 'lambdaGigabyteSecond', gigabyteSeconds)),
    metered(billLine('Lambda', 'lambdaRequest', figures.invocations)),
    metered(billLine('DynamoDB', 'tableWriteUnit', figures.writeUnits)),
    metered(billLine('DynamoDB', 'tableReadUnit', figures.readUnits)),
    monthly(billLine('DynamoDB', 'tableGigabyteMonth', tableBytes / GIGABYTE)),
    metered(billLine('Firehose', 'firehoseGigabyte', billedBytes(figures) / GIGABYTE)),
    metered(billLine('S3', 'objectPut', figures.puts)),
    monthly(billLine('S3', 'objectGigabyteMonth', figures.bucketBytes / GIGABYTE)),
    metered(billLine('SQS', 'queueRequest', figures.requests)),
    metered(billLine('Scheduler', 'scheduledStart', figures.invocations)),
    monthly(billLine('Secrets Manager', 'secretMonth', fixed.secrets)),
  ];
}

/** Firehose rounds each record up to 5 KiB: half of that on average, and at least 5 KiB. */
export function billedBytes({ bytes, records }: Pick<Use['figures'], 'bytes' | 'records'>): number {
  return Math.max(records * FIREHOSE_STEP, bytes + (records * FIREHOSE_STEP) / 2);
}
