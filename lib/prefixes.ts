/** Where things lie in the bucket. The SIEM reads `events/` and nothing else. */
export const PREFIXES = {
  events: 'events/',
  /** Lines as they were sent, where the events are converted: gzipped, and not for the SIEM. */
  lines: 'lines/',
  /** What Firehose could not deliver, partition or hand to another endpoint. */
  deliveryErrors: 'delivery-errors/',
  /** Rows that the function cannot send as events. */
  deadLetters: 'dead-letter/',
} as const;
