import type * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import { PREFIXES } from '../data-bucket.ts';
import type { DestinationParts } from './parts.ts';

/** Readers list by time, so every part is padded with zeros. Firehose writes the time of arrival, in UTC. */
const TIME_PREFIX = '!{timestamp:yyyy/MM/dd/HH}/';

/** Gzipped lines under `events/yyyy/MM/dd/HH/`. Packed records need no care: S3 gets their bytes as they are, each line ended. */
export function s3Destination(
  parts: DestinationParts,
  bufferSeconds: number,
): Partial<firehose.CfnDeliveryStreamProps> {
  return {
    extendedS3DestinationConfiguration: {
      ...bucketSettings(parts),
      prefix: `${PREFIXES.events}${TIME_PREFIX}`,
      bufferingHints: { intervalInSeconds: bufferSeconds, sizeInMBs: 64 },
    },
  };
}

/** What every write into the bucket has in common, be it a delivery or a backup. */
export function bucketSettings({ bucket, role, encryptionKey, logging }: DestinationParts) {
  return {
    bucketArn: bucket.bucketArn,
    roleArn: role.roleArn,
    compressionFormat: 'GZIP',
    fileExtension: '.json.gz',
    errorOutputPrefix: `${PREFIXES.deliveryErrors}!{firehose:error-output-type}/${TIME_PREFIX}`,
    cloudWatchLoggingOptions: logging,
    ...(encryptionKey && { encryptionConfiguration: { kmsEncryptionConfig: { awskmsKeyArn: encryptionKey.keyArn } } }),
  };
}
