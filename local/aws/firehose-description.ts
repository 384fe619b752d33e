import type { Buffering, DeliveryTarget } from './delivery-buffer.ts';
import type { JsonObject } from './json-protocol.ts';
import { arn, type Place } from './place.ts';

export interface DescribedStream extends DeliveryTarget, Place {
  readonly buffering: Buffering;
  /** Milliseconds since 1970. */
  readonly created: number;
}

const MEBIBYTE = 1024 * 1024;
/** Largest buffer that Firehose allows. */
const LARGEST_BUFFER_MEBIBYTES = 128;

/** The answer of `DescribeDeliveryStream`. */
export function describeStream(stream: DescribedStream): JsonObject {
  const destination = {
    RoleARN: arn({ ...stream, region: '' }, 'iam', 'role/delivery'),
    BucketARN: `arn:aws:s3:::${stream.bucket}`,
    Prefix: `${stream.prefix}!{timestamp:yyyy/MM/dd/HH}/`,
    ErrorOutputPrefix: 'delivery-errors/!{firehose:error-output-type}/!{timestamp:yyyy/MM/dd/HH}/',
    BufferingHints: {
      SizeInMBs: Math.min(Math.ceil(stream.buffering.bytes / MEBIBYTE), LARGEST_BUFFER_MEBIBYTES),
      IntervalInSeconds: Math.round(stream.buffering.milliseconds / 1000),
    },
    CompressionFormat: 'GZIP',
    EncryptionConfiguration: { NoEncryptionConfig: 'NoEncryption' },
  };
  return {
    DeliveryStreamDescription: {
      DeliveryStreamName: stream.streamName,
      DeliveryStreamARN: arn(stream, 'firehose', `deliverystream/${stream.streamName}`),
      DeliveryStreamStatus: 'ACTIVE',
      DeliveryStreamType: 'DirectPut',
      VersionId: '1',
      CreateTimestamp: stream.created / 1000,
      Destinations: [
        {
          DestinationId: 'destinationId-000000000001',
          S3DestinationDescription: destination,
          ExtendedS3DestinationDescription: { ...destination, FileExtension: '.json.gz' },
        },
      ],
      HasMoreDestinations: false,
    },
  };
}
