import { type AlarmControls, type AlarmDefinition, alarmArn, createAlarms } from './alarms.ts';
import {
  type JsonObject,
  type JsonOperation,
  jsonReply,
  MISSING_TOKEN,
  queryCompatibleRefusal,
  readJsonRequest,
} from './protocols.ts';
import { AwsError, arn, cutPage, type Place } from './service.ts';
import type { Service } from './wire.ts';

export interface CloudWatchOptions extends Place {
  readonly alarms: readonly AlarmDefinition[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Alarms or data points in a page. @default 50 alarms, 100,800 data points */
  readonly pageSize?: number;
}

export interface CloudWatchControls {
  readonly metrics: Pick<MetricStore, 'put' | 'forget'>;
  readonly alarms: AlarmControls;
}

/** CloudWatch now uses JSON, and still reports the error codes of the query protocol. */
const COMPATIBLE = { namespace: 'com.amazonaws.cloudwatch', codes: { ValidationException: 'ValidationError' } };
const TARGET = 'GraniteServiceVersion20100801';
const ALARMS = 50;
const DATA_POINTS = 100_800;
const MOST_NAMES = 100;

/** CloudWatch with given metrics and alarm states. Alarms are not evaluated. */
export function createCloudWatch(options: CloudWatchOptions): {
  service: Service<JsonOperation>;
  controls: CloudWatchControls;
} {
  const metrics = createMetricStore();
  const alarms = createAlarms({ ...options, pageSize: options.pageSize ?? ALARMS });
  const answer = (action: string, input: JsonObject): JsonObject => {
    if (action === 'GetMetricData') return metricData(metrics, input, options.now(), options.pageSize ?? DATA_POINTS);
    if (action === 'DescribeAlarms') return alarms.describe(input);
    alarms.switchActions(namesIn(input), action === 'EnableAlarmActions');
    return {};
  };
  const service: Service<JsonOperation> = {
    name: 'cloudwatch',
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, TARGET);
      if (!ACTIONS.includes(action)) {
        throw new AwsError(400, 'UnknownOperationException', `${action} is not part of this endpoint.`);
      }
      const resource = action.endsWith('AlarmActions') ? alarmsArn(options, namesIn(input)) : '*';
      return { action, permission: `cloudwatch:${action}`, resource, input };
    },
    perform: async ({ action, input }) => jsonReply('1.0', answer(action, input)),
    refusal: error => queryCompatibleRefusal(COMPATIBLE, error),
  };
  return { service, controls: { metrics, alarms: alarms.controls } };
}

const ACTIONS = ['GetMetricData', 'DescribeAlarms', 'EnableAlarmActions', 'DisableAlarmActions'];

function namesIn({ AlarmNames: names }: JsonObject): readonly string[] {
  if (Array.isArray(names) && names.length <= MOST_NAMES) return names;
  const fault = Array.isArray(names) ? `have length less than or equal to ${MOST_NAMES}` : 'not be null';
  const message = `1 validation error detected: Value at 'alarmNames' failed to satisfy constraint: Member must ${fault}`;
  throw new AwsError(400, 'ValidationException', message);
}

/** IAM checks each alarm. A call has one resource here, so several alarms are named by their common prefix. */
function alarmsArn(place: Place, given: readonly string[]): string {
  const [first = '', ...others] = new Set(given);
  if (others.length === 0) return alarmArn(place, first);
  let shared = 0;
  while (shared < first.length && others.every(name => name[shared] === first[shared])) shared += 1;
  return arn(place, 'cloudwatch', `alarm:${first.slice(0, shared)}*`);
}

interface Point {
  /** Place of its query in the request. */
  readonly query: number;
  readonly time: number;
  readonly value: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const LONGEST_STEP = 60 * MINUTE;

/** How long data are kept by the minute, by five minutes and by the hour. */
const KEPT: readonly (readonly [age: number, step: number])[] = [
  [15 * DAY, MINUTE],
  [63 * DAY, 5 * MINUTE],
  [455 * DAY, LONGEST_STEP],
];

/**
 * The answer of `GetMetricData`. Periods begin at the start time, rounded down to the resolution that is still kept.
 *
 * @throws AwsError ValidationException, InvalidNextToken
 */
export function metricData(store: MetricStore, input: JsonObject, now: number, pageSize: number): JsonObject {
  const { queries, start, end, descending, maxDatapoints, token } = readMetricDataRequest(input);
  const step = Math.min(stepAt(now - start), LONGEST_STEP);
  const rounded = Math.floor(start / step) * step;
  const points = queries.flatMap((query, place) => {
    const found = query.returned ? pointsOf(store, query, { start: rounded, end, now }) : [];
    return (descending ? found.reverse() : found).map(point => ({ query: place, ...point }));
  });
  const refusal = new AwsError(400, 'InvalidNextToken', 'The specified NextToken is invalid.');
  const { items, nextToken } = cutPage(points, Math.min(maxDatapoints ?? pageSize, pageSize), token, refusal);
  const last = nextToken === undefined ? queries.length : (items.at(-1)?.query ?? 0);
  const results = queries.flatMap((query, place) =>
    query.returned
      ? [
          resultOf(
            query,
            items.filter(point => point.query === place),
            place >= last && nextToken !== undefined,
          ),
        ]
      : [],
  );
  return { MetricDataResults: results, Messages: [], ...(nextToken === undefined ? {} : { NextToken: nextToken }) };
}

function resultOf({ id, label }: MetricQuery, points: readonly Point[], more: boolean): JsonObject {
  return {
    Id: id,
    Label: label,
    Timestamps: points.map(({ time }) => time / 1000),
    Values: points.map(({ value }) => value),
    StatusCode: more ? 'PartialData' : 'Complete',
  };
}

interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly now: number;
}

function pointsOf(store: MetricStore, { metric, period, statistic }: MetricQuery, { start, end, now }: Span) {
  const periods = Map.groupBy(
    store.samples(metric).filter(({ time }) => time >= start && time < end && period % stepAt(now - time) === 0),
    ({ time }) => start + Math.floor((time - start) / period) * period,
  );
  return [...periods].flatMap(([time, samples]) => {
    const value = statistic(samples);
    return value === undefined ? [] : [{ time, value }];
  });
}

/** The resolution, in milliseconds, of data of this age; infinite for expired data. */
function stepAt(age: number): number {
  return KEPT.find(([kept]) => age <= kept)?.[1] ?? Number.POSITIVE_INFINITY;
}

export interface MetricQuery {
  readonly id: string;
  readonly label: string;
  readonly metric: MetricName;
  /** Milliseconds. */
  readonly period: number;
  readonly statistic: Statistic;
  readonly returned: boolean;
}

export interface MetricDataRequest {
  readonly queries: readonly MetricQuery[];
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly descending: boolean;
  readonly maxDatapoints: number | undefined;
  readonly token: string | undefined;
}

const MOST_QUERIES = 500;

/** The input of `GetMetricData`. @throws AwsError ValidationException */
export function readMetricDataRequest(input: JsonObject): MetricDataRequest {
  const { MetricDataQueries: given, StartTime: start, EndTime: end } = input;
  if (!Array.isArray(given) || given.length === 0) throw invalid('The parameter MetricDataQueries is required.');
  if (given.length > MOST_QUERIES) {
    throw invalid(`The collection MetricDataQueries must not have a size greater than ${MOST_QUERIES}.`);
  }
  if (typeof start !== 'number' || typeof end !== 'number') {
    throw invalid(`The parameter ${typeof start === 'number' ? 'EndTime' : 'StartTime'} is required.`);
  }
  if (start === end) throw invalid('The parameter StartTime must not equal parameter EndTime.');
  if (start > end) throw invalid('The parameter StartTime must be less than the parameter EndTime.');
  const queries = given.map((query, place) => readQuery(query as JsonObject, `MetricDataQueries.member.${place + 1}`));
  if (new Set(queries.map(({ id }) => id)).size < queries.length) {
    throw invalid('The values for parameter id in MetricDataQueries are not unique.');
  }
  return {
    queries,
    start: start * 1000,
    end: end * 1000,
    descending: input['ScanBy'] !== 'TimestampAscending',
    maxDatapoints: input['MaxDatapoints'] as number | undefined,
    token: input['NextToken'] as string | undefined,
  };
}

function readQuery(query: JsonObject, place: string): MetricQuery {
  const { Id: id, MetricStat: stat, Label: label, ReturnData: returned = true } = query;
  if (!/^[a-z]\w{0,254}$/.test(String(id))) {
    throw invalid(
      `The value ${String(id)} for parameter ${place}.Id is not matching the expression ^[a-z][a-zA-Z0-9_]*$.`,
    );
  }
  if (typeof stat !== 'object' || stat === null) {
    throw invalid(`${place} has no MetricStat: this endpoint reads metrics, it computes no expressions.`);
  }
  const { Metric: metric, Period: period, Stat: name } = stat as JsonObject;
  const statistic = statisticOf(String(name));
  if (!statistic) throw invalid(`The value ${String(name)} for parameter ${place}.MetricStat.Stat is not supported.`);
  const { MetricName: metricName } = metric as JsonObject;
  return {
    id: String(id),
    label: String(label ?? metricName),
    metric: readMetric(metric as JsonObject),
    period: readPeriod(period, place) * 1000,
    statistic,
    returned: Boolean(returned),
  };
}

function readMetric({ Namespace: namespace, MetricName: name, Dimensions: dimensions }: JsonObject): MetricName {
  const pairs = ((dimensions ?? []) as readonly JsonObject[]).map(each => [each['Name'], each['Value']]);
  return { namespace: String(namespace), name: String(name), dimensions: Object.fromEntries(pairs) };
}

/** In seconds. Data are kept by the minute, so CloudWatch's shorter periods return no data. */
function readPeriod(period: unknown, place: string): number {
  const isPeriod =
    typeof period === 'number' && period > 0 && ([1, 5, 10, 20, 30].includes(period) || period % 60 === 0);
  if (isPeriod) return period;
  throw invalid(`The parameter ${place}.MetricStat.Period must be 1, 5, 10, 20, 30 or a multiple of 60.`);
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

/** Observations of a metric within one minute. */
export interface MetricDatum extends MetricName {
  /** Milliseconds since 1970; kept to the minute. */
  readonly time: number;
  /** One observation, or the sum of several. */
  readonly value: number;
  /** How many observations the value is the sum of. @default 1 */
  readonly count?: number;
  /** Least and greatest of them. @default their mean */
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Sample {
  readonly time: number;
  readonly sum: number;
  readonly count: number;
  readonly minimum: number;
  readonly maximum: number;
}

export interface MetricStore {
  put(...data: readonly MetricDatum[]): void;
  /** Forgets what was before that time, in milliseconds since 1970. */
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
        const last = samples.at(-1)?.time ?? 0;
        const sample = sampleOf(datum);
        samples.push(sample);
        if (sample.time < last) samples.sort((one, other) => one.time - other.time);
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

function sampleOf({ time, value, count = 1, minimum, maximum }: MetricDatum): Sample {
  const mean = value / count;
  const minute = Math.floor(time / MINUTE) * MINUTE;
  return { time: minute, sum: value, count, minimum: minimum ?? mean, maximum: maximum ?? mean };
}

function keyOf({ namespace, name, dimensions = {} }: MetricName): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);
}

/** One statistic of at least one sample of a period; undefined when the samples do not determine it. */
export type Statistic = (samples: readonly Sample[]) => number | undefined;

const STATISTICS: Readonly<Record<string, Statistic>> = {
  Sum: samples => total(samples, 'sum'),
  SampleCount: samples => total(samples, 'count'),
  Average: samples => total(samples, 'sum') / total(samples, 'count'),
  Minimum: samples => Math.min(...samples.map(({ minimum }) => minimum)),
  Maximum: samples => Math.max(...samples.map(({ maximum }) => maximum)),
};

/** Undefined for a name that this endpoint does not support. */
export function statisticOf(name: string): Statistic | undefined {
  const percentile = /^p(\d{1,2}(\.\d+)?|100)$/.exec(name)?.[1];
  return percentile === undefined ? STATISTICS[name] : samples => percentileOf(samples, Number(percentile));
}

/** By nearest rank. As in CloudWatch, samples that aggregate different values have no percentiles. */
function percentileOf(samples: readonly Sample[], percentile: number): number | undefined {
  if (samples.some(({ minimum, maximum }) => minimum !== maximum)) return undefined;
  const values = samples.flatMap(({ count, minimum }) => Array<number>(count).fill(minimum)).sort((a, b) => a - b);
  return values[Math.max(Math.ceil((percentile / 100) * values.length), 1) - 1];
}

function total(samples: readonly Sample[], member: 'sum' | 'count'): number {
  return samples.reduce((sum, sample) => sum + sample[member], 0);
}
