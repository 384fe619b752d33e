/** The pace at which rows are sent again: shared by the function, which keeps it, and by the check of the configuration. */

export const DAY_MILLISECONDS = 86_400_000;

/** Pages of a refresh that one run reads at most, so that a pause is made up for without a burst. */
export const REFRESH_PAGES = 10;

/** Parts of `refreshDays`. A row is sent again once it is this old … */
const OLD = 0.5;
/** … and is looked at this often: it waits for 0.95 of the time at most, and the rest is for runs that come late. */
const PASS = 0.45;

/** Milliseconds that one pass over a stream takes. */
export function passMilliseconds(days: number): number {
  return days * DAY_MILLISECONDS * PASS;
}

/** Milliseconds after which a row is sent again. */
export function oldMilliseconds(days: number): number {
  return days * DAY_MILLISECONDS * OLD;
}

/** Rows of one stream that a pass can read. */
export function refreshCapacity(days: number, rateMinutes: number, pageLimit: number): number {
  return Math.floor((passMilliseconds(days) / (rateMinutes * 60_000)) * REFRESH_PAGES * pageLimit);
}

/** Rows that a pass must be able to read: the largest tenant that the documents count with. */
export const REFRESHED_ROWS = 1_000_000;
