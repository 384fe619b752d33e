/**
 * Computes how long a run may hold the lease, and the time limits of write requests that follow
 * from it.
 */

export interface LeaseTimes {
  /** Milliseconds that the lease lasts without being renewed. */
  readonly term: number;
  /** A write may start only while the lease lasts for longer than this many milliseconds. */
  readonly margin: number;
  /**
   * Milliseconds after which a request is aborted. They are fewer than the margin, so that no write
   * outlasts its lease.
   */
  readonly requestTimeout: number;
  /** Milliseconds that a connection may take to open, as part of the request. */
  readonly connectionTimeout: number;
}

const LONGEST_MARGIN_MILLISECONDS = 20_000;
const LONGEST_REQUEST_MILLISECONDS = 8_000;
const LONGEST_CONNECTION_MILLISECONDS = 2_000;
/**
 * Share of the margin that a request may take. The rest covers the time between the lease check and
 * the request, for example signing, or a busy event loop.
 */
const REQUEST_SHARE = 0.8;

/**
 * Computes the times that follow from the length of a lease:
 *
 *     seconds   term      margin    request   connection
 *     60        60,000    20,000    8,000     2,000
 *     10        10,000     5,000    4,000     2,000
 *     1          1,000       500      400       400
 *
 * @param seconds `LEASE_SECONDS`, 1 to 900
 */
export function leaseTimes(seconds: number): LeaseTimes {
  const term = seconds * 1000;
  const margin = Math.min(LONGEST_MARGIN_MILLISECONDS, term / 2);
  const requestTimeout = Math.min(LONGEST_REQUEST_MILLISECONDS, margin * REQUEST_SHARE);
  return { term, margin, requestTimeout, connectionTimeout: Math.min(LONGEST_CONNECTION_MILLISECONDS, requestTimeout) };
}
