import { type Statistic, statisticOf, type TimeSeries } from './time-series.ts';

export type State = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
export type Comparison =
  | 'GreaterThanOrEqualToThreshold'
  | 'GreaterThanThreshold'
  | 'LessThanOrEqualToThreshold'
  | 'LessThanThreshold';

/** One metric alarm, as CloudWatch gets it. */
export interface AlarmDefinition {
  readonly name: string;
  readonly namespace: string;
  readonly series: string;
  readonly statistic: Statistic;
  readonly periodMinutes: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  readonly comparison: Comparison;
  readonly missing: 'breaching' | 'notBreaching' | 'ignore';
  /** The value that a metric-math `FILL` uses for missing points. */
  readonly fill: number | undefined;
}

/**
 * CloudWatch looks farther back than the evaluation periods before it takes a point as missing. How far is not promised; its
 * documented examples look two periods farther. A silence is noticed only when nothing good is left in that whole range.
 */
const FARTHER_BACK = 2;

/**
 * State of an alarm at the end of a minute: sliding windows, looked at once a minute, missing data as the CloudWatch user guide
 * says in "Configuring how CloudWatch alarms treat missing data".
 *
 * @param before the state until now, which missing data may leave as it is
 */
export function evaluate(alarm: AlarmDefinition, metrics: TimeSeries, minute: number, before: State): State {
  const { evaluationPeriods, fill } = alarm;
  const range = Array.from({ length: evaluationPeriods + FARTHER_BACK }, (_, periods) =>
    pointOf(alarm, metrics, minute + 1 - periods * alarm.periodMinutes),
  );
  const real = range.map(point => point ?? fill).filter(point => point !== undefined);
  return stateOf(alarm, real.slice(0, evaluationPeriods), before);
}

/** @param real existing points, at most as many as evaluation periods */
function stateOf(alarm: AlarmDefinition, real: readonly number[], before: State): State {
  const breaching = real.filter(point => breaches(alarm, point)).length;
  const absent = alarm.evaluationPeriods - real.length;
  if (breaching >= alarm.datapointsToAlarm) return 'ALARM';
  if (absent === 0) return 'OK';
  switch (treatmentOf(alarm)) {
    case 'breaching':
      return breaching + absent >= alarm.datapointsToAlarm ? 'ALARM' : 'OK';
    case 'notBreaching':
      return 'OK';
    case 'ignore':
      // The alarm is OK only if it could not breach whatever values the missing points had.
      return breaching + absent < alarm.datapointsToAlarm ? 'OK' : before;
  }
}

/** Alarms on DynamoDB's metrics ignore missing data whatever is set. A metric-math expression fills it before. */
function treatmentOf({ namespace, missing, fill }: AlarmDefinition): AlarmDefinition['missing'] {
  return namespace === 'AWS/DynamoDB' && fill === undefined ? 'ignore' : missing;
}

function pointOf(alarm: AlarmDefinition, metrics: TimeSeries, end: number): number | undefined {
  return statisticOf(alarm.statistic, metrics.between(alarm.series, end - alarm.periodMinutes, end));
}

function breaches({ comparison, threshold }: AlarmDefinition, point: number): boolean {
  switch (comparison) {
    case 'GreaterThanOrEqualToThreshold':
      return point >= threshold;
    case 'GreaterThanThreshold':
      return point > threshold;
    case 'LessThanOrEqualToThreshold':
      return point <= threshold;
    case 'LessThanThreshold':
      return point < threshold;
  }
}
