/**
 * Computes the pace of the refresh. The function and the validation of the configuration share it.
 */

export const DAY_MILLISECONDS = 86_400_000;

/**
 * Largest number of pages that one run reads for a refresh, so that the additional rows of a stream
 * that has grown are not sent in a burst.
 */
export const REFRESH_PAGES = 10;

/**
 * Smallest number of pages of a pass, so that the rows of a small tenant are not all sent at once.
 */
const LEAST_PAGES = 100;

/**
 * Length of a pass as a share of `refreshDays`. A row waits for less than three passes: see
 * core/refresh.ts. The remaining 5 % are for runs that come late.
 */
const PASS = 0.95 / 3;

/** Part of a pass by which reading may be late before the delay counts as a pause. */
export const PAUSE_SHARE = 0.1;

/** Milliseconds that one pass over a stream takes. */
export function passMilliseconds(days: number): number {
  return days * DAY_MILLISECONDS * PASS;
}

/**
 * Number of rows to request per page.
 *
 * @param rows number of rows of the pass
 * @param left whether rows of the pass are left; if not, the stream has grown
 */
export function refreshPageLimit(pageLimit: number, rows: number, left: boolean): number {
  return left ? Math.min(pageLimit, Math.max(1, Math.ceil(rows / LEAST_PAGES))) : pageLimit;
}

/**
 * Requests that the changes of a run need in addition to the refresh. The refreshed streams share
 * the rest.
 */
const OTHER_REQUESTS = 4;
const REFRESHED_STREAMS = 2;

export interface RefreshLimits {
  readonly rateMinutes: number;
  readonly pageLimit: number;
  /** Absent when the requests are not limited. */
  readonly requestsPerMinute?: number | undefined;
}

/** Number of pages of one stream that a run can read for the refresh. */
export function refreshPagesPerRun({ rateMinutes, requestsPerMinute }: RefreshLimits): number {
  if (requestsPerMinute === undefined) return REFRESH_PAGES;
  return Math.min(REFRESH_PAGES, (requestsPerMinute * rateMinutes - OTHER_REQUESTS) / REFRESHED_STREAMS);
}

/** Number of rows of one stream that a pass can read. */
export function refreshCapacity(days: number, limits: RefreshLimits): number {
  const runs = passMilliseconds(days) / (limits.rateMinutes * 60_000);
  return Math.floor(runs * refreshPagesPerRun(limits) * limits.pageLimit);
}

/**
 * Number of rows that a pass must be able to read. It is the size of the largest tenant for which
 * the documents give figures.
 */
export const LEAST_REFRESH_CAPACITY = 1_000_000;
