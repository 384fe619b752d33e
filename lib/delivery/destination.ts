import type { Duration } from 'aws-cdk-lib';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { DEFAULTS } from '../defaults.ts';

/** Gzipped lines in the bucket, below `events/yyyy/MM/dd/HH/`. */
export interface S3Destination {
  readonly type: 's3';
  /**
   * How long Firehose gathers events before it delivers them, 0 to 900 seconds.
   *
   * @default Duration.seconds(60)
   */
  readonly bufferInterval?: Duration;
}

/** As `s3`, but each stream below a prefix of its own: `events/<stream>/yyyy/MM/dd/HH/`. */
export interface S3ByStreamDestination {
  readonly type: 's3-by-stream';
  /**
   * How long Firehose gathers events of one stream before it delivers them, 60 to 900 seconds.
   *
   * @default Duration.seconds(60)
   */
  readonly bufferInterval?: Duration;
}

/** As `s3`, but converted to Parquet by Firehose, with the lines as they were sent below `lines/yyyy/MM/dd/HH/`. */
export interface S3ParquetDestination {
  readonly type: 's3-parquet';
  /**
   * How long Firehose gathers events before it delivers them, 60 to 900 seconds. It delivers sooner once it has 64 MiB.
   *
   * @default Duration.seconds(300)
   */
  readonly bufferInterval?: Duration;
}

/** An address that Firehose sends events to, with what it could not deliver in the bucket. */
interface Endpoint {
  /** Address of the endpoint; https only. */
  readonly url: string;
  /**
   * Existing secret with the endpoint’s token.
   *
   * @default - a secret with a placeholder is created, and an output says how to fill it
   */
  readonly secret?: ISecret;
  /**
   * How long Firehose gathers events before it delivers them.
   *
   * @default Duration.seconds(60)
   */
  readonly bufferInterval?: Duration;
  /**
   * How long Firehose tries again before events go to the bucket, 2 hours at most.
   *
   * @default Duration.hours(2)
   */
  readonly retry?: Duration;
}

/** Splunk’s HTTP Event Collector, with indexer acknowledgement. The secret holds `{"hec_token"}`. */
export interface SplunkDestination extends Endpoint {
  readonly type: 'splunk';
}

/** Anything that takes Firehose’s HTTP requests and splits a record at line ends. The secret holds `{"api_key"}`. */
export interface HttpDestination extends Endpoint {
  readonly type: 'http';
  /**
   * Name of the endpoint in the console.
   *
   * @default - none
   */
  readonly name?: string;
}

/** A delivery stream that somebody else looks after. The bucket then holds dead letters only. */
export interface ExistingDeliveryStream {
  readonly type: 'existing';
  /** Takes direct puts, and is in the same account and region. */
  readonly deliveryStream: IDeliveryStreamRef;
  /**
   * What it delivers to: the names of its metrics follow from it.
   *
   * @default 's3'
   */
  readonly deliversTo?: 's3' | 'splunk' | 'http';
}

/** Where the one delivery stream of a connector delivers to. */
export type Destination =
  | S3Destination
  | S3ByStreamDestination
  | S3ParquetDestination
  | SplunkDestination
  | HttpDestination
  | ExistingDeliveryStream;

/** Whether events become objects in the bucket, which a SIEM can be told of. */
export function deliversObjects({ type }: Destination): boolean {
  return type === 's3' || type === 's3-by-stream' || type === 's3-parquet';
}

/** Whether Firehose converts the events, which may fail. */
export function converts({ type }: Destination): boolean {
  return type === 's3-parquet';
}

/** How Firehose begins the names of the metrics of each kind of destination. */
const METRIC_PREFIXES = {
  s3: 'DeliveryToS3',
  's3-by-stream': 'DeliveryToS3',
  's3-parquet': 'DeliveryToS3',
  splunk: 'DeliveryToSplunk',
  http: 'DeliveryToHttpEndpoint',
} as const;

export type DeliveryMetricPrefix = (typeof METRIC_PREFIXES)[keyof typeof METRIC_PREFIXES];

export function deliveryMetricPrefix(destination: Destination): DeliveryMetricPrefix {
  return METRIC_PREFIXES[destination.type === 'existing' ? (destination.deliversTo ?? 's3') : destination.type];
}

/** How long Firehose may hold events on purpose. Of a stream that is brought nothing is known, so the most that Firehose offers. */
export function bufferSecondsOf(destination: Destination): number {
  if (destination.type === 'existing') return 900;
  const byDefault = converts(destination) ? DEFAULTS.parquetBufferSeconds : DEFAULTS.bufferSeconds;
  return destination.bufferInterval?.toSeconds() ?? byDefault;
}
