/** Everything that `status` shows. Each part is read on its own, so that one failed read does not hide the others. */
import type { StreamMetric } from '../../../../lambda/metric-names.ts';
import { STREAMS, type StreamName, streamsOn } from '../../../../lambda/streams.ts';
import { type Alarms, readAlarms } from '../../alarms.ts';
import type { Aws } from '../../aws.ts';
import type { ObjectCount } from '../../bucket.ts';
import type { Context } from '../../context.ts';
import type { Deployment, FunctionEnvironment } from '../../deployment.ts';
import { type FailureGroup, readFailures } from '../../failures.ts';
import { oldestMessageSeries, type Point, readMetrics, type Series, streamSeries } from '../../metrics.ts';
import { known, type ReadResult, tryRead } from '../../read-result.ts';
import { readSchedule, type Schedule } from '../../schedule.ts';
import { type ConnectorState, readState } from '../../state.ts';
import { deadLetterCount, type QueueDepth, queueDepth, withoutTestMessages } from '../dead-letters/counts.ts';

export interface Snapshot {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly deployment: Deployment;
  /** Streams that the settings disable. */
  readonly off: ReadResult<readonly StreamName[]>;
  readonly state: ReadResult<ConnectorState>;
  readonly activity: ReadResult<Activity>;
  readonly schedule: ReadResult<Schedule>;
  readonly alarms: ReadResult<Alarms>;
  /** Undefined if no alarm fires and no stream fails: the log is then not read. */
  readonly failures: ReadResult<readonly FailureGroup[]> | undefined;
  readonly deadLetters: ReadResult<ReadonlyMap<StreamName, ObjectCount>>;
  readonly scheduleDeadLetters: ReadResult<QueueDepth>;
  /** Undefined if the SIEM has no queue. */
  readonly siem: SiemSnapshot | undefined;
}

export interface SiemSnapshot {
  readonly queue: ReadResult<QueueDepth>;
  readonly deadLetters: ReadResult<QueueDepth>;
}

/** @throws RefusedError or AwsCallError if there is no deployment */
export async function takeSnapshot(context: Context): Promise<Snapshot> {
  const { aws, clock, signal } = context;
  const deployment = await context.deployment();
  const now = clock.now();
  const read = <T>(part: () => Promise<T>) => tryRead(part, signal);
  const depth = (url: string) => read(() => queueDepth(aws, url));
  const eventDepth = (url: string) =>
    read(async () => withoutTestMessages(await queueDepth(aws, url), aws, deployment.bucket));
  const { connector, table, scheduleName, scheduleDeadLetterQueueUrl, siem } = deployment;
  const [off, state, activity, schedule, alarms, deadLetters, scheduleDeadLetters, ...queues] = await Promise.all([
    read(async () => streamsOff(await context.environment())),
    read(() => readState(aws, table, now)),
    read(() => readActivity(aws, deployment, now)),
    read(() => readSchedule(aws, scheduleName)),
    read(() => readAlarms(aws, connector)),
    read(() => deadLettersOf(context, deployment)),
    depth(scheduleDeadLetterQueueUrl),
    ...(siem ? [eventDepth(siem.queueUrl), depth(siem.deadLetterQueueUrl)] : []),
  ]);
  const [queue, siemDeadLetters] = queues;
  const failures = isFailing(alarms, activity)
    ? await read(() => readFailures(aws, deployment.logGroup, now - RECENT_MILLISECONDS))
    : undefined;
  const seen = { now, deployment, off, state, activity, schedule, alarms, failures, deadLetters };
  const siemSide = queue && siemDeadLetters && { queue, deadLetters: siemDeadLetters };
  return { ...seen, scheduleDeadLetters, siem: siemSide };
}

function isFailing(alarms: Snapshot['alarms'], activity: Snapshot['activity']): boolean {
  const firing = known(alarms)?.alarms.some(({ state }) => state === 'ALARM');
  return firing === true || [...(known(activity)?.streams.values() ?? [])].some(({ failed }) => failed);
}

function streamsOff(environment: FunctionEnvironment): StreamName[] {
  const on = streamsOn(({ pathSetting }) => environment[pathSetting]).map(({ name }) => name);
  return STREAMS.map(({ name }) => name).filter(name => !on.includes(name));
}

async function deadLettersOf({ aws }: Context, deployment: Deployment) {
  const counted = STREAMS.map(async ({ name }) => [name, await deadLetterCount(aws, deployment, name)] as const);
  return new Map(await Promise.all(counted));
}

export interface StreamActivity {
  /** Minute of the last report of a run, in milliseconds since 1970. */
  readonly reported: number | undefined;
  /** Minute of the last run that reached the end of the stream. */
  readonly caughtUp: number | undefined;
  /** Whether the last run failed. */
  readonly failed: boolean;
  /** Sums of the last 24 hours. */
  readonly counts: Readonly<Record<Count, number>>;
}

export type Count = keyof typeof COUNTS;

export interface Activity {
  readonly streams: ReadonlyMap<StreamName, StreamActivity>;
  /** Age in seconds of the oldest undelivered event, from the last three hours. */
  readonly freshnessSeconds: number | undefined;
  /** Age in seconds of the oldest notification that the SIEM has not deleted. */
  readonly oldestNotificationSeconds: number | undefined;
}

const DAY_MILLISECONDS = 24 * 60 * 60_000;
const RECENT_MILLISECONDS = 3 * 60 * 60_000;

const COUNTS = {
  read: 'RowsRead',
  forwarded: 'EventsForwarded',
  filtered: 'RowsFiltered',
  withdrawn: 'ThreatsWithdrawn',
  refreshed: 'RowsRefreshed',
  filterFaults: 'FilterFaults',
} as const satisfies Record<string, StreamMetric>;
const COUNT_NAMES = Object.keys(COUNTS) as Count[];

/** The outputs of the stack do not name the kind of destination, but only one of these metrics has data. */
const FRESHNESS = ['DeliveryToS3', 'DeliveryToSplunk', 'DeliveryToHttpEndpoint'].map(kind => `${kind}.DataFreshness`);

/** @throws AwsCallError */
async function readActivity(aws: Aws, deployment: Deployment, now: number): Promise<Activity> {
  const { connector, deliveryStream, siem } = deployment;
  const perStream = STREAMS.map(({ name }) => activitySeries(connector, name));
  const dimensions = { DeliveryStreamName: deliveryStream };
  const firehose = FRESHNESS.map(metric => {
    return { namespace: 'AWS/Firehose', metric, dimensions, statistic: 'Maximum', period: 300 } as const;
  });
  const queue = siem ? [oldestMessageSeries(siem.queueUrl)] : [];
  const all = [...perStream.flat(), ...firehose, ...queue];
  const points = await readMetrics(aws, all, { start: now - DAY_MILLISECONDS, now });
  const take = (count: number) => points.splice(0, count);
  const streams = new Map(
    STREAMS.map(({ name }, place) => [name, activityOf(take(perStream[place]!.length))] as const),
  );
  const newest = (each: readonly Point[]) => each.find(({ time }) => time >= now - RECENT_MILLISECONDS)?.value;
  const freshness = take(firehose.length)
    .map(newest)
    .find(value => value !== undefined);
  return { streams, freshnessSeconds: freshness, oldestNotificationSeconds: take(queue.length).map(newest)[0] };
}

function activitySeries(connector: string, stream: StreamName): Series[] {
  const of = { connector, stream };
  return [
    streamSeries(of, 'RowsRead', 'SampleCount', 60),
    streamSeries(of, 'StreamFailed', 'Sum', 60),
    streamSeries(of, 'TimeBudgetExceeded', 'Sum', 60),
    ...COUNT_NAMES.map(name => streamSeries(of, COUNTS[name], 'Sum', 3600)),
  ];
}

/** Each run reports its rows. It succeeded unless it also reports a failure or the end of its time. */
function activityOf([runs = [], failed = [], behind = [], ...counts]: readonly (readonly Point[])[]): StreamActivity {
  const sums = counts.map(points => points.reduce((sum, { value }) => sum + value, 0));
  const at = (points: readonly Point[], minute: number) => points.find(({ time }) => time === minute)?.value ?? 0;
  const reported = runs[0]?.time;
  return {
    reported,
    caughtUp: runs.find(({ time, value }) => value > at(failed, time) + at(behind, time))?.time,
    failed: reported !== undefined && at(failed, reported) > 0,
    counts: Object.fromEntries(COUNT_NAMES.map((name, place) => [name, sums[place] ?? 0])) as Record<Count, number>,
  };
}
