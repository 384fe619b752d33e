import { Duration } from 'aws-cdk-lib';

/** Longest time-out of Lambda. The function stops by itself before this time. */
export const FUNCTION_TIMEOUT = Duration.minutes(15);

/** Age at which a scheduled start is dropped. The next start does its work. */
export const TICK_EXPIRES_AFTER = Duration.seconds(60);

export type AlarmTiming = ReturnType<typeof alarmTimingOf>;

/**
 * Computes the periods that follow from the schedule, so that alarms and schedule cannot drift
 * apart.
 */
export function alarmTimingOf(rate: Duration) {
  const ticks = rate.toMinutes();
  const longest = FUNCTION_TIMEOUT.toMinutes();

  return {
    /** Period of an alarm that ends after a single run without a failure. */
    minute: Duration.minutes(1),
    /**
     * Time after which a stream without a successful run counts as silent. It covers two of the
     * longest runs, so that a backfill does not count as silence.
     */
    silence: Duration.minutes(2 * (longest + ticks)),
    /**
     * Period in which the reports of runs are evaluated. It covers the longest run and two ticks,
     * so that an alarm does not end between two runs that report the same problem.
     */
    report: Duration.minutes(longest + 2 * ticks),
    /** Period within which three errors are too many for a transient problem. */
    errors: Duration.minutes(Math.max(15, 4 * ticks)),
    /** Period in which a backlog is evaluated. It covers one of the longest runs. */
    backlog: Duration.minutes(Math.max(60, longest + ticks)),
  };
}
