/** What the metrics tell: of each stream, of Firehose, and how long the SIEM leaves objects unread. */
import { DIMENSIONS, METRIC_NAMESPACE, type StreamMetric } from '../../../lambda/metric-names.ts';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import type { Aws } from '../aws.ts';
import type { Deployment } from '../deployment/find-deployment.ts';
import { type Point, readMetrics, type Series } from '../metrics/read-metrics.ts';

export interface StreamActivity {
  /** Milliseconds since 1970 of the minute in which a run last reported on the stream. */
  readonly reported: number | undefined;
  /** Of the last run that reached the end of the stream. */
  readonly drained: number | undefined;
  /** Whether the newest report told of a failure. */
  readonly failed: boolean;
  /** Of the last 24 hours. */
  readonly counts: Readonly<Record<Count, number>>;
}

export type Count = keyof typeof COUNTS;

export interface Activity {
  readonly streams: ReadonlyMap<StreamName, StreamActivity>;
  /** Age in seconds of the oldest event that Firehose has not delivered, as told last within three hours. */
  readonly freshnessSeconds: number | undefined;
  /** Age in seconds of the oldest announcement that the SIEM has not finished. */
  readonly oldestAnnouncementSeconds: number | undefined;
}

const DAY_MILLISECONDS = 24 * 60 * 60_000;
const RECENT_MILLISECONDS = 3 * 60 * 60_000;

const COUNTS = {
  read: 'RowsRead',
  forwarded: 'EventsForwarded',
  suppressed: 'RowsDeduplicated',
  withdrawn: 'ThreatsWithdrawn',
  deadLetters: 'DeadLetters',
} as const satisfies Record<string, StreamMetric>;
const COUNT_NAMES = Object.keys(COUNTS) as Count[];

/** One of these is told: the outputs of the stack do not say which kind of destination it has. */
const FRESHNESS = ['DeliveryToS3', 'DeliveryToSplunk', 'DeliveryToHttpEndpoint'].map(kind => `${kind}.DataFreshness`);

/** @throws AwsCallError */
export async function readActivity(aws: Aws, deployment: Deployment, now: number): Promise<Activity> {
  const { connector, deliveryStream, siem } = deployment;
  const perStream = STREAMS.map(({ name }) => streamSeries(connector, name));
  const firehose = FRESHNESS.map(metric => recent('AWS/Firehose', metric, { DeliveryStreamName: deliveryStream }));
  const queue = siem ? [recent('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: nameOf(siem.queueUrl) })] : [];
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
  return { streams, freshnessSeconds: freshness, oldestAnnouncementSeconds: take(queue.length).map(newest)[0] };
}

function streamSeries(connector: string, stream: StreamName): Series[] {
  const series = (metric: StreamMetric, statistic: Series['statistic'], period: number): Series => {
    const dimensions = { [DIMENSIONS.connector]: connector, [DIMENSIONS.stream]: stream };
    return { namespace: METRIC_NAMESPACE, metric, dimensions, statistic, period };
  };
  return [
    series('CaughtUp', 'Maximum', 60),
    series('StreamFailed', 'Maximum', 60),
    ...COUNT_NAMES.map(name => series(COUNTS[name], 'Sum', 3600)),
  ];
}

function activityOf([drained = [], failed = [], ...counts]: readonly (readonly Point[])[]): StreamActivity {
  const sums = counts.map(points => points.reduce((sum, { value }) => sum + value, 0));
  return {
    reported: failed[0]?.time,
    drained: drained.find(({ value }) => value >= 1)?.time,
    failed: (failed[0]?.value ?? 0) >= 1,
    counts: Object.fromEntries(COUNT_NAMES.map((name, place) => [name, sums[place] ?? 0])) as Record<Count, number>,
  };
}

function recent(namespace: string, metric: string, dimensions: Series['dimensions']): Series {
  return { namespace, metric, dimensions, statistic: 'Maximum', period: 300 };
}

function nameOf(queueUrl: string): string {
  return queueUrl.slice(queueUrl.lastIndexOf('/') + 1);
}
