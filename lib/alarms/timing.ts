import { Duration } from 'aws-cdk-lib';

/** The longest timeout of Lambda. The function stops by itself before it. */
export const TIMEOUT = Duration.minutes(15);

/** A scheduled start that is older than this is dropped. The next one does its work. */
export const TICK_EXPIRES_AFTER = Duration.seconds(60);

export type Timing = ReturnType<typeof timingOf>;

/** Periods that follow from the schedule, so that alarms and schedule cannot drift apart. */
export function timingOf(rate: Duration) {
  const ticks = rate.toMinutes();
  const longest = TIMEOUT.toMinutes();

  return {
    /** Period of an alarm that one good run ends. */
    minute: Duration.minutes(1),
    /** A stream without a successful run for this long is silent. The time covers two of the longest runs, so that a backfill is not silence. */
    silence: Duration.minutes(2 * (longest + ticks)),
    /**
     * Period in which the reports of runs are evaluated: the longest run and two ticks, so that an alarm does not end between two runs that
     * report the same problem.
     */
    report: Duration.minutes(longest + 2 * ticks),
    /** Three errors within this period are more than a transient error. */
    errors: Duration.minutes(Math.max(15, 4 * ticks)),
    /** Period in which a backlog is evaluated. Covers one of the longest runs. */
    backlog: Duration.minutes(Math.max(60, longest + ticks)),
  };
}
