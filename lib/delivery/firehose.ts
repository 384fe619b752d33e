/** Limits and names of Firehose, by the kind of destination. */

/** How long Firehose buffers events by default. */
export const BUFFER_SECONDS = 60;

/** The longest that Firehose buffers events. */
export const MOST_BUFFER_SECONDS = { s3: 900, splunk: 60, http: 900 } as const;

/** How long Firehose retries an endpoint by default. */
export const RETRY_SECONDS = 7200;

/** Begins the names of Firehose's metrics about a destination. */
export const METRIC_PREFIXES = {
  s3: 'DeliveryToS3',
  splunk: 'DeliveryToSplunk',
  http: 'DeliveryToHttpEndpoint',
  opensearch: 'DeliveryToAmazonOpenSearchService',
  iceberg: 'DeliveryToIceberg',
  snowflake: 'DeliveryToSnowflake',
} as const;
