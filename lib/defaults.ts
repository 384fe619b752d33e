import { THREAT_ASSET_FIELD } from '../lambda/setting-rules.ts';

/** What an option is when it is left out: one place for the configuration's schema, the construct and their documents. */
export const DEFAULTS = {
  threatAssetField: THREAT_ASSET_FIELD,
  rateMinutes: 1,
  /** At which Lambda gives a whole CPU: what a backfill needs to keep up with an API that answers within 40 ms. */
  memoryMegabytes: 1769,
  logRetentionDays: 90,
  retentionDays: 365,
  bufferSeconds: 60,
  /** Firehose's own default: Parquet of a minute is many small files, and each query opens them all. */
  parquetBufferSeconds: 300,
  /** How long Firehose tries a Splunk or HTTP endpoint again before the events go to the backup. */
  retrySeconds: 7200,
  /** What one query may read: half a dollar's worth, at five dollars a terabyte. */
  queryScanGigabytes: 100,
  runbookUrl: 'docs/runbook.md',
} as const;
