/** Where things lie in the bucket. The SIEM reads `events/` and nothing else. */
export const PREFIXES = {
  events: 'events/',
  /** What Firehose could not deliver to its endpoint. */
  deliveryErrors: 'delivery-errors/',
  /** Rows that the function cannot send as events. */
  deadLetters: 'dead-letter/',
} as const;
