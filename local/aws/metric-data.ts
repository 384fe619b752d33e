import { AwsError } from './aws-error.ts';
import type { JsonObject } from './json-protocol.ts';
import { type MetricQuery, readMetricDataRequest } from './metric-data-request.ts';
import { type MetricStore, MINUTE } from './metric-store.ts';
import { cutPage } from './page.ts';

interface Point {
  /** Place of its query in the request. */
  readonly query: number;
  readonly time: number;
  readonly value: number;
}

const DAY = 24 * 60 * MINUTE;

const LONGEST_STEP = 60 * MINUTE;

/** For how long data are kept to the minute, to five minutes and to the hour. */
const KEPT: readonly (readonly [age: number, step: number])[] = [
  [15 * DAY, MINUTE],
  [63 * DAY, 5 * MINUTE],
  [455 * DAY, LONGEST_STEP],
];

/**
 * The answer of `GetMetricData`. Periods begin at the start time, rounded down to the step that is still kept of it.
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

/** Milliseconds that data of this age are kept to; endless for data that are gone. */
function stepAt(age: number): number {
  return KEPT.find(([kept]) => age <= kept)?.[1] ?? Number.POSITIVE_INFINITY;
}
