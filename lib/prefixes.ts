/** Prefixes of the bucket. The SIEM reads only `events/`. */
export const PREFIXES = {
  events: 'events/',
  /** Events that Firehose could not deliver to its endpoint. */
  deliveryErrors: 'delivery-errors/',
  /** Rows that the function cannot send as events. */
  deadLetters: 'dead-letter/',
} as const;

/** Batches on their way, which the function writes, reads and deletes. An operator needs none of them. */
export const LOG_PREFIX = 'log/';
