/** The kinds of destination, and what becomes of each in the stack. `config/schema.ts` has their options. */
import type { Duration } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Destination, ExistingDestination } from '../connector-props.ts';
import { PREFIXES } from '../prefixes.ts';

/** How long Firehose buffers events by default. */
export const BUFFER_SECONDS = 60;

/** The longest that Firehose buffers events, by the kind of destination. */
export const MOST_BUFFER_SECONDS = { s3: 900, splunk: 60, http: 900 } as const;

/** How long Firehose retries an endpoint by default. */
export const RETRY_SECONDS = 7200;

/** Begins the names of Firehose's metrics about a destination, by its kind. */
export const METRIC_PREFIXES = {
  s3: 'DeliveryToS3',
  splunk: 'DeliveryToSplunk',
  http: 'DeliveryToHttpEndpoint',
  opensearch: 'DeliveryToAmazonOpenSearchService',
  iceberg: 'DeliveryToIceberg',
  snowflake: 'DeliveryToSnowflake',
} as const;

export type DeliveryMetricPrefix = (typeof METRIC_PREFIXES)[keyof typeof METRIC_PREFIXES];

export function deliveryMetricPrefix(destination: Destination): DeliveryMetricPrefix {
  return METRIC_PREFIXES[destination.type === 'existing' ? (destination.deliversTo ?? 's3') : destination.type];
}

/** By the kind of destination, the member of the secret with the endpoint's token. */
export const TOKEN_MEMBERS = { s3: undefined, splunk: 'hec_token', http: 'api_key' } as const;

/** A destination whose delivery stream is created. */
export type OwnDestination = Exclude<Destination, ExistingDestination>;

/** Input of every destination. */
export interface DestinationParts {
  readonly bucket: IBucket;
  readonly role: IRole;
  readonly logging: firehose.CfnDeliveryStream.CloudWatchLoggingOptionsProperty;
  readonly encryptionKey?: IKey;
  /** Present where the kind has a token. */
  readonly token: ISecret | undefined;
}

/** The time of arrival, in UTC. Every part is padded with zeros, so that names sort by time. */
const TIME_PREFIX = '!{timestamp:yyyy/MM/dd/HH}/';

/** SIEMs recognize gzipped lines of JSON by this ending. Firehose alone would write `.gz`. */
const FILE_EXTENSION = '.json.gz';

/** The part of a delivery stream's properties that names its destination. */
export function destinationProperties(
  destination: OwnDestination,
  parts: DestinationParts,
): Partial<firehose.CfnDeliveryStreamProps> {
  const intervalInSeconds = bufferSecondsOf(destination);

  switch (destination.type) {
    case 's3':
      // Packed records need no processing: S3 gets their bytes, and each line ends in a line feed.
      return {
        extendedS3DestinationConfiguration: {
          ...bucketSettings(parts),
          fileExtension: FILE_EXTENSION,
          prefix: `${PREFIXES.events}${TIME_PREFIX}`,
          bufferingHints: { intervalInSeconds, sizeInMBs: 64 },
        },
      };
    case 'splunk':
      return {
        splunkDestinationConfiguration: {
          ...endpointSettings(parts, destination.retry),
          hecEndpoint: destination.url,
          // The raw endpoint splits packed records into lines. The event endpoint would take a record for one event.
          hecEndpointType: 'Raw',
          hecAcknowledgmentTimeoutInSeconds: 300,
          bufferingHints: { intervalInSeconds, sizeInMBs: 5 },
          s3BackupMode: 'FailedEventsOnly',
        },
      };
    case 'http': {
      const { url, name, retry } = destination;
      return {
        httpEndpointDestinationConfiguration: {
          ...endpointSettings(parts, retry),
          endpointConfiguration: { url, ...(name && { name }) },
          requestConfiguration: { contentEncoding: 'GZIP' },
          roleArn: parts.role.roleArn,
          bufferingHints: { intervalInSeconds, sizeInMBs: 4 },
          s3BackupMode: 'FailedDataOnly',
        },
      };
    }
  }
}

/** The configured buffer time of Firehose. May be a token. */
function bufferSecondsOf(destination: OwnDestination): number {
  return destination.bufferInterval?.toSeconds() ?? BUFFER_SECONDS;
}

/** The buffer time for calculations at synth: for a token, the longest that Firehose accepts. */
export function mostBufferSeconds(destination: Destination): number {
  if (destination.type === 'existing') return MOST_BUFFER_SECONDS.s3;
  const isLate = destination.bufferInterval?.isUnresolved();
  return isLate ? MOST_BUFFER_SECONDS[destination.type] : bufferSecondsOf(destination);
}

/** Settings shared by deliveries and backups into the bucket. */
function bucketSettings({ bucket, role, encryptionKey, logging }: DestinationParts) {
  return {
    bucketArn: bucket.bucketArn,
    roleArn: role.roleArn,
    compressionFormat: 'GZIP',
    errorOutputPrefix: `${PREFIXES.deliveryErrors}!{firehose:error-output-type}/${TIME_PREFIX}`,
    cloudWatchLoggingOptions: logging,
    ...(encryptionKey && { encryptionConfiguration: { kmsEncryptionConfig: { awskmsKeyArn: encryptionKey.keyArn } } }),
  };
}

/** Settings shared by all endpoints. Refused events go to the bucket, and an alarm reports them. */
function endpointSettings(parts: DestinationParts, retry: Duration | undefined) {
  const { role, token, logging } = parts;
  return {
    secretsManagerConfiguration: { enabled: true, secretArn: token!.secretArn, roleArn: role.roleArn },
    retryOptions: { durationInSeconds: retry?.toSeconds() ?? RETRY_SECONDS },
    cloudWatchLoggingOptions: logging,
    s3Configuration: {
      ...bucketSettings(parts),
      prefix: `${PREFIXES.deliveryErrors}backup/${TIME_PREFIX}`,
      bufferingHints: { intervalInSeconds: 60, sizeInMBs: 5 },
    },
  };
}
