import { Duration } from 'aws-cdk-lib';
import type { AlarmSettings } from './alarm-fact.ts';

/** How often AWS's own services report at the slowest. */
export const fiveMinutes = Duration.minutes(5);

/** Once in the reports of the last runs. */
export const reported = ({ timing }: AlarmSettings) =>
  ({ statistic: 'Sum', atLeast: 1, period: timing.report }) as const;

/**
 * No good run. Judged minute by minute, because CloudWatch looks some periods farther back for a point that is there before it takes one
 * as missing: a few minutes this way, hours with one long period.
 */
export const silent = ({ timing }: AlarmSettings) =>
  ({ statistic: 'Minimum', atLeast: 1, period: Duration.minutes(1), periods: timing.silence.toMinutes() }) as const;

/** Again and again: throttling that passes is how a backfill is slowed, and no fault. */
export const lasting = () => ({ statistic: 'Sum', atLeast: 1, period: fiveMinutes, periods: 12 }) as const;

/** A queue that ought to be empty. */
export const waiting = () => ({ statistic: 'Maximum', atLeast: 1, period: fiveMinutes }) as const;

/** Below this the next run may be cut off by Lambda; the function itself stops earlier. */
export const LEAST_TIME_LEFT_MILLISECONDS = 10_000;
