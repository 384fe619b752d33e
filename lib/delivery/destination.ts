/** What a file of this folder declares about one kind of destination. `destinations.ts` registers it; everything else follows. */
import type { Duration } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { integer } from '../../lambda/options.ts';
import type { OptionGroup, PropsOf } from '../config/option.ts';
import { PREFIXES } from '../prefixes.ts';

export interface DestinationKind<G extends OptionGroup = OptionGroup> extends OptionGroup {
  readonly required: G['required'];
  readonly optional: G['optional'];
  /** Prefix of the names of its metrics in Firehose. Absent: an existing stream, whose `deliversTo` says it. */
  readonly metrics?: 'DeliveryToS3' | 'DeliveryToSplunk' | 'DeliveryToHttpEndpoint';
  /** Whether events become objects in the bucket, of which a SIEM can be notified. */
  readonly deliversObjects?: boolean;
  /** Member of the secret with the endpoint's token. Absent: no endpoint. */
  readonly token?: string;
  /** Absent: nothing is created. */
  readonly properties?: (parts: DestinationParts, destination: PropsOf<G>) => DestinationProperties;
}

/** Infers the options of a kind, so that `properties` gets typed props. */
export function kind<const G extends OptionGroup, const F extends Omit<DestinationKind<G>, keyof OptionGroup>>(
  group: G,
  facts: F & Omit<DestinationKind<G>, keyof OptionGroup>,
): G & F {
  return { ...group, ...facts };
}

/** What every destination is made of. */
export interface DestinationParts {
  readonly bucket: IBucket;
  readonly role: IRole;
  readonly logging: firehose.CfnDeliveryStream.CloudWatchLoggingOptionsProperty;
  readonly encryptionKey?: IKey;
  readonly bufferSeconds: number;
  /** Present where the kind has a `token`. */
  readonly token: ISecret | undefined;
}

/** The part of a delivery stream's properties that names its destination. */
export type DestinationProperties = Partial<firehose.CfnDeliveryStreamProps>;

/** Readers list by time, so every part is padded with zeros. Firehose writes the time of arrival, in UTC. */
export const TIME_PREFIX = '!{timestamp:yyyy/MM/dd/HH}/';

/** SIEMs recognize gzipped lines of JSON by this ending. Firehose alone would write `.gz`. */
export const FILE_EXTENSION = '.json.gz';

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

/** Option of every endpoint. */
export const RETRY = {
  /**
   * How long Firehose retries an unreachable endpoint before it writes events to the bucket, 7,200 seconds at most.
   *
   * @default Duration.hours(2)
   */
  retry: { schema: integer(0, 7200, 'seconds'), default: 7200, name: 'retrySeconds', form: 'seconds' },
} as const;

/** What every endpoint has in common. Events that it did not accept go to the bucket, and an alarm reports them. */
export function endpointSettings(parts: DestinationParts, retry: Duration | undefined) {
  const { role, token, logging } = parts;
  return {
    secretsManagerConfiguration: { enabled: true, secretArn: token!.secretArn, roleArn: role.roleArn },
    retryOptions: { durationInSeconds: retry?.toSeconds() ?? RETRY.retry.default },
    cloudWatchLoggingOptions: logging,
    s3Configuration: {
      ...bucketSettings(parts),
      prefix: `${PREFIXES.deliveryErrors}backup/${TIME_PREFIX}`,
      bufferingHints: { intervalInSeconds: 60, sizeInMBs: 5 },
    },
  };
}
