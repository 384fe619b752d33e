/** The kinds of destination, by their `type`: what becomes of them in the stack. `config/schema.ts` has their options. */
import type { Duration } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type {
  Destination,
  ExistingDestination,
  HttpDestination,
  S3Destination,
  SplunkDestination,
} from '../connector-props.ts';
import { PREFIXES } from '../prefixes.ts';

/** How long Firehose buffers events by default. */
export const BUFFER_SECONDS = 60;

/** The longest that Firehose buffers events, by the kind of destination. */
export const MOST_BUFFER_SECONDS = { s3: 900, splunk: 60, http: 900 } as const;

/** How long Firehose retries an endpoint by default. */
export const RETRY_SECONDS = 7200;

interface DestinationKind<D> {
  /** Prefix of the names of its metrics in Firehose. Absent for an existing stream, which has `deliversTo`. */
  readonly metrics?: 'DeliveryToS3' | 'DeliveryToSplunk' | 'DeliveryToHttpEndpoint';
  /** Whether events become objects in the bucket, of which a SIEM can be notified. */
  readonly deliversObjects?: boolean;
  /** Member of the secret with the endpoint's token. Absent: no endpoint. */
  readonly token?: string;
  /** The part of a delivery stream's properties that names its destination. Absent: nothing is created. */
  readonly properties?: (parts: DestinationParts, destination: D) => Partial<firehose.CfnDeliveryStreamProps>;
}

/** Input of every destination. */
export interface DestinationParts {
  readonly bucket: IBucket;
  readonly role: IRole;
  readonly logging: firehose.CfnDeliveryStream.CloudWatchLoggingOptionsProperty;
  readonly encryptionKey?: IKey;
  readonly bufferSeconds: number;
  /** Present where the kind has a `token`. */
  readonly token: ISecret | undefined;
}

/** The time of arrival, in UTC. Every part is padded with zeros, so that names sort by time. */
const TIME_PREFIX = '!{timestamp:yyyy/MM/dd/HH}/';

/** SIEMs recognize gzipped lines of JSON by this ending. Firehose alone would write `.gz`. */
const FILE_EXTENSION = '.json.gz';

const s3 = {
  metrics: 'DeliveryToS3',
  deliversObjects: true,
  // Packed records need no processing: S3 gets their bytes, and each line ends in a line feed.
  properties: parts => ({
    extendedS3DestinationConfiguration: {
      ...bucketSettings(parts),
      fileExtension: FILE_EXTENSION,
      prefix: `${PREFIXES.events}${TIME_PREFIX}`,
      bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 64 },
    },
  }),
} as const satisfies DestinationKind<S3Destination>;

const splunk = {
  metrics: 'DeliveryToSplunk',
  token: 'hec_token',
  properties(parts, { url, retry }) {
    const { s3Configuration, ...settings } = endpointSettings(parts, retry);
    return {
      splunkDestinationConfiguration: {
        ...settings,
        hecEndpoint: url,
        // The raw endpoint splits packed records into lines. The event endpoint would take a record for one event.
        hecEndpointType: 'Raw',
        hecAcknowledgmentTimeoutInSeconds: 300,
        bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 5 },
        s3BackupMode: 'FailedEventsOnly',
        s3Configuration,
      },
    };
  },
} as const satisfies DestinationKind<SplunkDestination>;

const http = {
  metrics: 'DeliveryToHttpEndpoint',
  token: 'api_key',
  properties: (parts, { url, name, retry }) => ({
    httpEndpointDestinationConfiguration: {
      ...endpointSettings(parts, retry),
      endpointConfiguration: { url, ...(name && { name }) },
      requestConfiguration: { contentEncoding: 'GZIP' },
      roleArn: parts.role.roleArn,
      bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 4 },
      s3BackupMode: 'FailedDataOnly',
    },
  }),
} as const satisfies DestinationKind<HttpDestination>;

/** A stream that somebody else operates: nothing is created. */
const existing = {} as const satisfies DestinationKind<ExistingDestination>;

export const DESTINATIONS = { s3, splunk, http, existing } as const;

/** Undefined where `cdk.json` or a program in JavaScript names an unknown type. */
export function kindOf({ type }: { readonly type: string }): DestinationKind<never> {
  return DESTINATIONS[type as keyof typeof DESTINATIONS] as unknown as DestinationKind<never>;
}

export type DeliveryMetricPrefix = NonNullable<DestinationKind<never>['metrics']>;

export function deliveryMetricPrefix(destination: Destination): DeliveryMetricPrefix {
  const type = destination.type === 'existing' ? (destination.deliversTo ?? 's3') : destination.type;
  return kindOf({ type }).metrics!;
}

/** The configured buffer time of Firehose. May be a token. */
export function bufferSecondsOf(destination: Exclude<Destination, ExistingDestination>): number {
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
