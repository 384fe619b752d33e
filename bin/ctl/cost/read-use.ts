/** Reads what a deployed connector used in a month so far. */
import { paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { streamsOn } from '../../../lambda/streams.ts';
import type { Fixed } from '../../../lib/cost/bill.ts';
import { seriesOf } from '../../../lib/cost/estimate.ts';
import { fixedParts } from '../../../lib/cost/fixed-parts.ts';
import type { Context } from '../context.ts';
import { AwsCallError } from '../errors.ts';
import { type Point, readMetrics } from '../metrics/read-metrics.ts';
import { tableSize } from '../state/table-size.ts';
import type { Month } from './month.ts';
import type { Use } from './used-lines.ts';
import { FIGURES, type Figure, usedSeries } from './used-series.ts';

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

/** Of what lies in the bucket the newest figure; of everything else the sum. */
function figureOf(figure: Figure, series: readonly Point[][]): number {
  if (figure === 'bucketBytes') return series[0]?.[0]?.value ?? 0;
  return series.flat().reduce((sum, { value }) => sum + value, 0);
}

/** A stack that was made amid the month has cost nothing before its first run. */
function firstRun(invocations: readonly Point[], now: number): number {
  return Math.min(now, ...invocations.filter(({ value }) => value > 0).map(({ time }) => time));
}

/** As many as the function's streams emit; CloudWatch does not tell what it bills. */
async function seriesCount(context: Context): Promise<number> {
  const environment = await context.environment();
  return seriesOf(streamsOn(({ pathSetting }) => environment[pathSetting]).length);
}

async function fixedOf(context: Context): Promise<Fixed> {
  const { stackName, functionName } = await context.deployment();
  const types: string[] = [];
  try {
    const pages = paginateListStackResources({ client: context.aws.cloudFormation() }, { StackName: stackName });
    for await (const { StackResourceSummaries: resources = [] } of pages) {
      types.push(...resources.map(({ ResourceType: type = '' }) => type));
    }
    const command = new GetFunctionConfigurationCommand({ FunctionName: functionName });
    const { MemorySize: memory } = await context.aws.lambda().send(command);
    const count = (type: string) => types.filter(each => each === type).length;
    const usual = fixedParts({ dnsBlocks: true });
    return {
      ...usual,
      memoryMegabytes: memory ?? usual.memoryMegabytes,
      alarms: count('AWS::CloudWatch::Alarm'),
      compositeAlarms: count('AWS::CloudWatch::CompositeAlarm'),
      dashboards: count('AWS::CloudWatch::Dashboard'),
      secrets: count('AWS::SecretsManager::Secret'),
    };
  } catch (cause) {
    throw new AwsCallError(
      `The parts of stack ${stackName} could not be listed`,
      'Nothing was changed. You need cloudformation:ListStackResources and lambda:GetFunctionConfiguration.',
      cause,
    );
  }
}
