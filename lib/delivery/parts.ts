import type { IRole } from 'aws-cdk-lib/aws-iam';
import type * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { PREFIXES } from '../prefixes.ts';

/** What every destination is made of. */
export interface DestinationParts {
  readonly bucket: IBucket;
  readonly role: IRole;
  readonly logging: firehose.CfnDeliveryStream.CloudWatchLoggingOptionsProperty;
  readonly encryptionKey?: IKey;
  readonly bufferSeconds: number;
}

/** The part of a delivery stream's properties that names its destination. */
export type DestinationProperties = Partial<firehose.CfnDeliveryStreamProps>;

/** Readers list by time, so every part is padded with zeros. Firehose writes the time of arrival, in UTC. */
export const TIME_PREFIX = '!{timestamp:yyyy/MM/dd/HH}/';

/** What every write into the bucket has in common, be it a delivery or a backup. */
export function bucketSettings({ bucket, role, encryptionKey, logging }: DestinationParts) {
  return {
    bucketArn: bucket.bucketArn,
    roleArn: role.roleArn,
    compressionFormat: 'GZIP',
    errorOutputPrefix: `${PREFIXES.deliveryErrors}!{firehose:error-output-type}/${TIME_PREFIX}`,
    cloudWatchLoggingOptions: logging,
    ...(encryptionKey && { encryptionConfiguration: { kmsEncryptionConfig: { awskmsKeyArn: encryptionKey.keyArn } } }),
  };
}

/** Where events go that an endpoint did not take. They are not in the SIEM: an alarm watches them. */
export function backupSettings(parts: DestinationParts) {
  return {
    ...bucketSettings(parts),
    prefix: `${PREFIXES.deliveryErrors}backup/${TIME_PREFIX}`,
    bufferingHints: { intervalInSeconds: 60, sizeInMBs: 5 },
  };
}
