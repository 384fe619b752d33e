/** Limits and names of Firehose, by the kind of destination. */

/** Default time for which Firehose buffers events. */
export const DEFAULT_BUFFER_SECONDS = 60;

/** Longest time for which Firehose can buffer events. */
export const MOST_BUFFER_SECONDS = { s3: 900, splunk: 60, http: 900 } as const;

/** Default time for which Firehose retries an endpoint. */
export const DEFAULT_RETRY_SECONDS = 7200;

/** Beginning of the names of Firehose's metrics about a destination. */
export const METRIC_PREFIXES = {
  s3: 'DeliveryToS3',
  splunk: 'DeliveryToSplunk',
  http: 'DeliveryToHttpEndpoint',
  opensearch: 'DeliveryToAmazonOpenSearchService',
  iceberg: 'DeliveryToIceberg',
  snowflake: 'DeliveryToSnowflake',
} as const;
