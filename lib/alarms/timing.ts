import { Duration } from 'aws-cdk-lib';

/** Lambda's longest run; the function stops by itself before it. */
export const TIMEOUT = Duration.minutes(15);

/** A tick that could not start within this time is worth nothing: the next one does its work. */
export const TICK_EXPIRES_AFTER = Duration.seconds(60);

/** Everything that follows from how often the connector runs, so that alarms cannot drift from the schedule. */
export interface Timing {
  readonly rate: Duration;
  /** Without one good run for this long, a stream is silent. Holds two of the longest runs, so that a backfill is not silence. */
  readonly silence: Duration;
  /** What one run reports is judged over this long: two ticks, so that no tick falls between. */
  readonly report: Duration;
  /** Three errors within this long are more than a passing fault. */
  readonly errors: Duration;
  /** One look at a backlog: holds one of the longest runs for sure. */
  readonly backlog: Duration;
}

export function timingOf(rate: Duration): Timing {
  const ticks = rate.toMinutes();
  const longest = TIMEOUT.toMinutes();
  return {
    rate,
    silence: Duration.minutes(2 * (longest + ticks)),
    report: Duration.minutes(Math.max(5, 2 * ticks)),
    errors: Duration.minutes(Math.max(15, 4 * ticks)),
    backlog: Duration.minutes(Math.max(60, longest + ticks)),
  };
}
