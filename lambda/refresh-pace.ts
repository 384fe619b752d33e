/** The pace of the refresh. Shared by the function and by the validation of the configuration. */

export const DAY_MILLISECONDS = 86_400_000;

/** Pages of a refresh that one run reads at most, so that the rest of a stream that has grown is made up for without a burst. */
export const REFRESH_PAGES = 10;

/** A pass is cut into at least so many pages, so that the rows of a small tenant do not leave at once. */
const LEAST_PAGES = 100;

/** A row waits for less than three passes, see core/refresh.ts. The rest of the time is for runs that come late. */
const PASS = 0.95 / 3;

/** Part of a pass by which reading may be late before that counts as a pause. */
export const PAUSE = 0.1;

/** Milliseconds that one pass over a stream takes. */
export function passMilliseconds(days: number): number {
  return days * DAY_MILLISECONDS * PASS;
}

/** Rows of one page. @param rows of the pass @param left whether rows of the pass are left: else the stream has grown */
export function refreshLimit(pageLimit: number, rows: number, left: boolean): number {
  return left ? Math.min(pageLimit, Math.max(1, Math.ceil(rows / LEAST_PAGES))) : pageLimit;
}

/** Requests that the changes of a run need in addition to the refresh. The refreshed streams share the rest. */
const OTHER_REQUESTS = 4;
const REFRESHED_STREAMS = 2;

export interface RefreshLimits {
  readonly rateMinutes: number;
  readonly pageLimit: number;
  /** Absent: no budget. */
  readonly requestsPerMinute?: number | undefined;
}

/** Pages of one stream that a run can read for the refresh. */
export function refreshPages({ rateMinutes, requestsPerMinute }: RefreshLimits): number {
  if (requestsPerMinute === undefined) return REFRESH_PAGES;
  return Math.min(REFRESH_PAGES, (requestsPerMinute * rateMinutes - OTHER_REQUESTS) / REFRESHED_STREAMS);
}

/** Rows of one stream that a pass can read. */
export function refreshCapacity(days: number, limits: RefreshLimits): number {
  const runs = passMilliseconds(days) / (limits.rateMinutes * 60_000);
  return Math.floor(runs * refreshPages(limits) * limits.pageLimit);
}

/** Rows that a pass must be able to read: the largest tenant that the documents count with. */
export const REFRESHED_ROWS = 1_000_000;
