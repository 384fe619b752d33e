/**
 * Everything that `status` shows. Each part is read on its own, so that one failed read does not
 * hide the other parts.
 */

import type { StreamMetric } from '../../../../lambda/metrics.ts';
import { environmentVariableOf } from '../../../../lambda/options.ts';
import { enabledStreams, STREAMS, type StreamName } from '../../../../lambda/streams.ts';
import { METRIC_PREFIXES } from '../../../../lib/delivery/firehose.ts';
import { readAlarms } from '../../alarms.ts';
import type { Aws } from '../../aws.ts';
import type { Context } from '../../context.ts';
import type { Deployment } from '../../deployment.ts';
import { readFailures } from '../../failures.ts';
import {
  freshnessSeries,
  type MetricPoint,
  type MetricSeries,
  oldestMessageSeries,
  readMetrics,
  streamSeries,
} from '../../metrics.ts';
import { tryRead, tryReadAll, valueIfRead } from '../../read-result.ts';
import { readSchedule } from '../../schedule.ts';
import { readState } from '../../state.ts';
import { countDeadLetters, readQueueDepth, withoutTestMessages } from '../dead-letters/counts.ts';

export type Snapshot = Awaited<ReturnType<typeof takeSnapshot>>;

/** @throws RefusedError or AwsCallError if there is no deployment */
export async function takeSnapshot(context: Context) {
  const { aws, clock, signal } = context;
  const deployment = await context.deployment();
  const { connector, table, bucket, scheduleName, scheduleDeadLetterQueueUrl, siem, otherReaders } = deployment;
  /** Current time in milliseconds since 1970. */
  const now = clock.now();

  const connectorParts = tryReadAll(
    {
      /** Streams that the settings disable. */
      off: async () => streamsOff(await context.environment()),
      state: () => readState(aws, table, now),
      activity: () => readActivity(aws, deployment, now),
      schedule: () => readSchedule(aws, scheduleName),
      alarms: () => readAlarms(aws, connector),
      deadLetters: () => deadLettersOf(aws, deployment),
      scheduleDeadLetters: () => readQueueDepth(aws, scheduleDeadLetterQueueUrl),
    },
    signal,
  );
  const queuesOf = ({ queueUrl, deadLetterQueueUrl }: NonNullable<Deployment['siem']>) => {
    const queue = async () => withoutTestMessages(await readQueueDepth(aws, queueUrl), aws, bucket);
    return tryReadAll({ queue, deadLetters: () => readQueueDepth(aws, deadLetterQueueUrl) }, signal);
  };
  const others = otherReaders.map(async reader => ({ name: reader.name, ...(await queuesOf(reader)) }));
  const [parts, queues, readers] = await Promise.all([connectorParts, siem && queuesOf(siem), Promise.all(others)]);

  const isFiring = valueIfRead(parts.alarms)?.alarms.some(({ state }) => state === 'ALARM');
  const isFailing = [...(valueIfRead(parts.activity)?.streams.values() ?? [])].some(({ failed }) => failed);
  const failures =
    isFiring || isFailing
      ? await tryRead(() => readFailures(aws, deployment.logGroup, now - RECENT_MILLISECONDS), signal)
      : undefined;
  /** `siem` is undefined if the SIEM has no queue. */
  return { now, deployment, ...parts, failures, siem: queues, readers };
}

function streamsOff(environment: Readonly<Record<string, string>>): StreamName[] {
  const on = enabledStreams(({ pathOption }) => environment[environmentVariableOf(pathOption)]).map(({ name }) => name);
  return STREAMS.map(({ name }) => name).filter(name => !on.includes(name));
}

async function deadLettersOf(aws: Aws, deployment: Deployment) {
  const counted = STREAMS.map(async ({ name }) => [name, await countDeadLetters(aws, deployment, name)] as const);
  return new Map(await Promise.all(counted));
}

const DAY_MILLISECONDS = 24 * 60 * 60_000;
const RECENT_MILLISECONDS = 3 * 60 * 60_000;

const COUNTS = {
  read: 'RowsRead',
  forwarded: 'EventsForwarded',
  filtered: 'RowsFiltered',
  withdrawn: 'ThreatsWithdrawn',
  refreshed: 'RowsRefreshed',
  filterErrors: 'FilterErrors',
} as const satisfies Record<string, StreamMetric>;
type Count = keyof typeof COUNTS;
const COUNT_NAMES = Object.keys(COUNTS) as Count[];

/**
 * Kinds of destinations. The outputs of the stack do not name the kind, so the metrics of every
 * kind are read, and only one of them has data.
 */
const DESTINATIONS = Object.values(METRIC_PREFIXES);

/** @throws AwsCallError */
async function readActivity(aws: Aws, { connector, deliveryStream, siem }: Deployment, now: number) {
  const perStream = STREAMS.map(({ name }) => activitySeries(connector, name));
  const firehose = DESTINATIONS.map(kind => freshnessSeries(deliveryStream, kind));
  const queue = siem ? [oldestMessageSeries(siem.queueUrl)] : [];
  const all = [...perStream.flat(), ...firehose, ...queue];
  const points = await readMetrics(aws, all, now, DAY_MILLISECONDS);

  const take = (count: number) => points.splice(0, count);
  const newest = (each: readonly MetricPoint[]) => each.find(({ time }) => time >= now - RECENT_MILLISECONDS)?.value;
  const streams = STREAMS.map(({ name }, place) => [name, activityOf(take(perStream[place]!.length))] as const);
  const ages = take(firehose.length).map(newest);
  return {
    streams: new Map(streams),
    /** Age in seconds of the oldest undelivered event, from the last three hours. */
    freshnessSeconds: ages.find(age => age !== undefined),
    /** Age in seconds of the oldest notification that the SIEM has not deleted. */
    oldestNotificationSeconds: take(queue.length).map(newest)[0],
  };
}

function activitySeries(connector: string, stream: StreamName): MetricSeries[] {
  const of = { connector, stream };
  return [
    streamSeries(of, 'RowsRead', 'SampleCount', 60),
    streamSeries(of, 'StreamFailed', 'Sum', 60),
    streamSeries(of, 'TimeBudgetExceeded', 'Sum', 60),
    ...COUNT_NAMES.map(name => streamSeries(of, COUNTS[name], 'Sum', 3600)),
  ];
}

export type StreamActivity = ReturnType<typeof activityOf>;

/**
 * Derives the activity of a stream from its metrics. Each run reports the rows that it has read. A
 * run succeeded unless it also reports a failure, or that its time ended.
 */
function activityOf([runs = [], failed = [], behind = [], ...counts]: readonly (readonly MetricPoint[])[]) {
  const sums = counts.map(points => points.reduce((sum, { value }) => sum + value, 0));
  const at = (points: readonly MetricPoint[], minute: number) => points.find(({ time }) => time === minute)?.value ?? 0;
  const reported = runs[0]?.time;
  return {
    /** Minute of the last report of a run, in milliseconds since 1970. */
    reported,
    /** Minute of the last run that reached the end of the stream. */
    caughtUp: runs.find(({ time, value }) => value > at(failed, time) + at(behind, time))?.time,
    /** Whether the last run failed. */
    failed: reported !== undefined && at(failed, reported) > 0,
    /** Sums of the last 24 hours. */
    counts: Object.fromEntries(COUNT_NAMES.map((name, place) => [name, sums[place] ?? 0])) as Record<Count, number>,
  };
}
