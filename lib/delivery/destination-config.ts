/** Types that a connector and its destination share. */
import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';

/** Parts and settings of the connector that a destination may use. */
export interface DestinationBindOptions {
  /** Name of the connector. */
  readonly connectorName: string;
  /** Bucket for events, or for events that could not be delivered. */
  readonly bucket: IBucket;
  /**
   * Key of the connector.
   *
   * @default - keys of AWS
   */
  readonly encryptionKey?: IKey;
  /** Number of days to keep logs. */
  readonly logRetention: RetentionDays;
  /** Removal policy of the created secrets when they leave the stack. */
  readonly removalPolicy: RemovalPolicy;
}

/** A destination in the stack of a connector. */
export interface DestinationConfig {
  /** Delivery stream that accepts direct puts, in the account and region of the connector. */
  readonly deliveryStream: IDeliveryStreamRef;
  /**
   * Beginning of the names of Firehose's metrics about the destination, for example `DeliveryToS3`.
   * The alarms and the dashboard read these metrics.
   */
  readonly metricPrefix: string;
  /**
   * Longest time for which Firehose buffers events. The threshold of `delivery-late` follows from
   * it.
   *
   * @default Duration.minutes(15)
   */
  readonly bufferInterval?: Duration;
  /**
   * Whether events are delivered to the bucket of the connector, below `events/`. If so, the
   * connector announces them to the readers.
   *
   * @default false
   */
  readonly eventsInBucket?: boolean;
}
