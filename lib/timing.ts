import { Duration } from 'aws-cdk-lib';

/** Lambda's longest run; the function stops by itself before it. */
export const TIMEOUT = Duration.minutes(15);

/** A tick that could not start within this time is worth nothing: the next one does its work. */
export const TICK_EXPIRES_AFTER = Duration.seconds(60);
