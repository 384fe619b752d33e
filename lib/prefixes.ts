/** Prefixes of the keys in the bucket. The SIEM reads only `events/`. */
export const PREFIXES = {
  events: 'events/',
  /** Events that Firehose could not deliver to its endpoint. */
  deliveryErrors: 'delivery-errors/',
  /** Rows that the function cannot send as events. */
  deadLetters: 'dead-letter/',
} as const;

/**
 * Prefix of the logs of batches. The function writes, reads and deletes these objects, and an
 * operator does not need them.
 */
export const LOG_PREFIX = 'log/';
