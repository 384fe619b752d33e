import { computeStatistic, type RecordedMetrics, type Statistic } from './time-series.ts';

export type AlarmStateName = 'OK' | 'ALARM';
export type ComparisonName = keyof typeof COMPARISONS;

/** A metric alarm, with the properties that CloudWatch evaluates. */
export interface AlarmDefinition {
  readonly name: string;
  readonly series: string;
  readonly statistic: Statistic;
  readonly periodMinutes: number;
  readonly evaluationPeriods: number;
  readonly threshold: number;
  readonly comparison: ComparisonName;
  readonly missing: 'breaching' | 'notBreaching';
  /** The value that a metric-math `FILL` uses for missing points. */
  readonly fill: number | undefined;
}

/**
 * Number of periods before the evaluation periods in which CloudWatch looks for a point that
 * replaces a missing point. AWS does not promise this number, but in its documented examples it is
 * two. So an alarm on silence fires only when the whole range does not contain a point below the
 * threshold.
 */
const FARTHER_BACK = 2;

/**
 * State of an alarm at the end of a minute. The window slides and is evaluated once per minute.
 * Missing data are treated as the CloudWatch user guide describes in "Configuring how CloudWatch
 * alarms treat missing data".
 */
export function evaluateAlarm(alarm: AlarmDefinition, metrics: RecordedMetrics, minute: number): AlarmStateName {
  const { evaluationPeriods, fill, missing } = alarm;
  const range = Array.from({ length: evaluationPeriods + FARTHER_BACK }, (_, periods) =>
    pointOf(alarm, metrics, minute + 1 - periods * alarm.periodMinutes),
  );
  const real = range.map(point => point ?? fill).filter(point => point !== undefined);
  const points = real.slice(0, evaluationPeriods);

  const good = points.filter(point => !breaches(alarm, point)).length;
  const isComplete = missing === 'breaching' || points.length === evaluationPeriods;
  return good === 0 && isComplete ? 'ALARM' : 'OK';
}

function pointOf(alarm: AlarmDefinition, metrics: RecordedMetrics, end: number): number | undefined {
  return computeStatistic(alarm.statistic, metrics.between(alarm.series, end - alarm.periodMinutes, end));
}

function breaches({ comparison, threshold }: AlarmDefinition, point: number): boolean {
  return COMPARISONS[comparison](point, threshold);
}

/** Comparisons that alarms of the template use. An evaluation throws for any other comparison. */
const COMPARISONS = {
  GreaterThanOrEqualToThreshold: (point: number, threshold: number) => point >= threshold,
  LessThanThreshold: (point: number, threshold: number) => point < threshold,
};
