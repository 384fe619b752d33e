import { AwsError, arn, type ResourcePlace } from '../../../local/aws/service.ts';
import { type JsonObject, type JsonOperation, jsonService } from '../protocols.ts';
import type { Service } from '../wire.ts';
import { type AlarmControls, type AlarmDefinition, alarmArn, createAlarms } from './alarms.ts';

export interface CloudWatchOptions extends ResourcePlace {
  readonly alarms: readonly AlarmDefinition[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface CloudWatchControls {
  readonly metrics: Pick<MetricStore, 'put' | 'forget'>;
  readonly alarms: AlarmControls;
}

/** CloudWatch now uses JSON, and still reports the error codes of the query protocol. */
const COMPATIBLE = { namespace: 'com.amazonaws.cloudwatch', codes: { ValidationException: 'ValidationError' } };
const MOST_NAMES = 100;

/** CloudWatch with given metrics and alarm states. Alarms are not evaluated. */
export function createCloudWatch(options: CloudWatchOptions): {
  service: Service<JsonOperation>;
  controls: CloudWatchControls;
} {
  const metrics = createMetricStore();
  const alarms = createAlarms(options);
  const switchActions = (isOn: boolean) => (input: JsonObject) => {
    alarms.switchActions(namesIn(input), isOn);
    return {};
  };
  const service = jsonService({
    name: 'cloudwatch',
    target: 'GraniteServiceVersion20100801',
    version: '1.0',
    compatible: COMPATIBLE,
    resource: (input, action) => (action.endsWith('AlarmActions') ? alarmsArn(options, namesIn(input)) : '*'),
    actions: {
      GetMetricData: input => metricData(metrics, input),
      DescribeAlarms: input => alarms.describe(input),
      EnableAlarmActions: switchActions(true),
      DisableAlarmActions: switchActions(false),
    },
  });
  return { service, controls: { metrics, alarms: alarms.controls } };
}

function namesIn({ AlarmNames: names }: JsonObject): readonly string[] {
  if (Array.isArray(names) && names.length <= MOST_NAMES) return names;
  const problem = Array.isArray(names) ? `have length less than or equal to ${MOST_NAMES}` : 'not be null';
  const message = `1 validation error detected: Value at 'alarmNames' failed to satisfy constraint: Member must ${problem}`;
  throw new AwsError(400, 'ValidationException', message);
}

/** IAM checks each alarm. A call has one resource here, so several alarms are named by their common prefix. */
function alarmsArn(place: ResourcePlace, given: readonly string[]): string {
  const [first = '', ...others] = new Set(given);
  if (others.length === 0) return alarmArn(place, first);
  let shared = 0;
  while (shared < first.length && others.every(name => name[shared] === first[shared])) shared += 1;
  return arn(place, 'cloudwatch', `alarm:${first.slice(0, shared)}*`);
}

const MINUTE = 60_000;
const MOST_QUERIES = 500;

/** The answer of `GetMetricData` in one page, newest points first. @throws AwsError ValidationException */
function metricData(store: MetricStore, input: JsonObject): JsonObject {
  // Periods begin at the start time, rounded down to the minute.
  const start = Math.floor((Number(input['StartTime']) * 1000) / MINUTE) * MINUTE;
  const end = Number(input['EndTime']) * 1000;
  const results = readQueries(input).map(query => {
    const points = pointsOf(store.samples(query.metric), query, start, end);
    return {
      Id: query.id,
      Label: query.label,
      Timestamps: points.map(({ time }) => time / 1000),
      Values: points.map(({ value }) => value),
      StatusCode: 'Complete',
    };
  });
  return { MetricDataResults: results, Messages: [] };
}

function pointsOf(samples: readonly Sample[], { period, statistic }: MetricQuery, start: number, end: number) {
  const periods = Map.groupBy(
    samples.filter(({ time }) => time >= start && time < end),
    ({ time }) => start + Math.floor((time - start) / period) * period,
  );
  return [...periods].map(([time, found]) => ({ time, value: STATISTICS[statistic](found) })).reverse();
}

interface MetricQuery {
  readonly id: string;
  readonly label: string;
  readonly metric: MetricName;
  /** Milliseconds. */
  readonly period: number;
  readonly statistic: Statistic;
}

function readQueries({ MetricDataQueries: given }: JsonObject): MetricQuery[] {
  const queries = (given ?? []) as readonly JsonObject[];
  if (queries.length > MOST_QUERIES) {
    throw invalid(`The collection MetricDataQueries must not have a size greater than ${MOST_QUERIES}.`);
  }
  return queries.map(({ Id: id, MetricStat: stat, Label: label }, place) => {
    const { Metric: metric, Period: period, Stat: statistic } = (stat ?? {}) as JsonObject;
    if (!isStatistic(statistic)) {
      throw invalid(`MetricDataQueries.member.${place + 1} is not a metric with a statistic that this endpoint knows.`);
    }
    const { Namespace: namespace, MetricName: name, Dimensions: dimensions = [] } = metric as JsonObject;
    const pairs = (dimensions as readonly JsonObject[]).map(each => [each['Name'], each['Value']]);
    return {
      id: String(id),
      label: String(label ?? name),
      metric: { namespace: String(namespace), name: String(name), dimensions: Object.fromEntries(pairs) },
      period: Number(period) * 1000,
      statistic,
    };
  });
}

function invalid(message: string): AwsError {
  return new AwsError(400, 'ValidationException', message);
}

export interface MetricName {
  readonly namespace: string;
  readonly name: string;
  /** A metric is found by all of its dimensions together. @default none */
  readonly dimensions?: Readonly<Record<string, string>>;
}

/** An observation of a metric. */
export interface MetricDatum extends MetricName {
  /** Milliseconds since 1970; kept to the minute. */
  readonly time: number;
  readonly value: number;
}

interface Sample {
  readonly time: number;
  readonly value: number;
}

export interface MetricStore {
  put(...data: readonly MetricDatum[]): void;
  /** Deletes earlier data. The time is in milliseconds since 1970. */
  forget(before: number): void;
  /** In the order of their times. */
  samples(metric: MetricName): readonly Sample[];
}

export function createMetricStore(): MetricStore {
  const metrics = new Map<string, Sample[]>();
  return {
    put(...data) {
      for (const datum of data) {
        const samples = metrics.get(keyOf(datum)) ?? [];
        metrics.set(keyOf(datum), samples);
        const time = Math.floor(datum.time / MINUTE) * MINUTE;
        const isLate = time < (samples.at(-1)?.time ?? 0);
        samples.push({ time, value: datum.value });
        if (isLate) samples.sort((one, other) => one.time - other.time);
      }
    },
    forget(before) {
      for (const [key, samples] of metrics) {
        const first = samples.findIndex(({ time }) => time >= before);
        if (first < 0) metrics.delete(key);
        else samples.splice(0, first);
      }
    },
    samples: metric => metrics.get(keyOf(metric)) ?? [],
  };
}

function keyOf({ namespace, name, dimensions = {} }: MetricName): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);
}

type Statistic = 'Sum' | 'Maximum' | 'SampleCount';

/** The statistics that commands request. */
const STATISTICS: Readonly<Record<Statistic, (samples: readonly Sample[]) => number>> = {
  Sum: samples => samples.reduce((sum, { value }) => sum + value, 0),
  Maximum: samples => Math.max(...samples.map(({ value }) => value)),
  SampleCount: samples => samples.length,
};

function isStatistic(name: unknown): name is Statistic {
  return Object.hasOwn(STATISTICS, String(name));
}
