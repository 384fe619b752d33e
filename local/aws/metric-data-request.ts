import { AwsError } from './aws-error.ts';
import type { JsonObject } from './json-protocol.ts';
import { type MetricName, type Statistic, statisticOf } from './metric-store.ts';

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

/** Seconds. Nothing here is kept for less than a minute, so the periods below that of CloudWatch have no data. */
function readPeriod(period: unknown, place: string): number {
  const isPeriod =
    typeof period === 'number' && period > 0 && ([1, 5, 10, 20, 30].includes(period) || period % 60 === 0);
  if (isPeriod) return period;
  throw invalid(`The parameter ${place}.MetricStat.Period must be 1, 5, 10, 20, 30 or a multiple of 60.`);
}

function invalid(message: string): AwsError {
  return new AwsError(400, 'ValidationException', message);
}
