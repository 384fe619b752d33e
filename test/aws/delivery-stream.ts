import type { CommandInput, ServiceAnswer } from '../../local/aws/call.ts';
import { WRITE_THROUGH } from '../../local/aws/delivery.ts';
import { type AwsNames, LOCAL_ACCOUNT } from '../../local/aws/local-aws.ts';
import { AwsError, arn } from '../../local/aws/service.ts';
import type { AwsOptions } from './endpoints.ts';

const MEBIBYTE = 1024 * 1024;
/** Largest buffer that Firehose allows. */
const LARGEST_BUFFER_MEBIBYTES = 128;

/** Answers `DescribeDeliveryStream` for a stream that delivers to the bucket. */
export function deliveryStream(options: AwsOptions, { deliveryStream: name, bucket, prefix }: AwsNames) {
  const { buffering = WRITE_THROUGH, region = 'us-east-1', now = Date.now } = options;
  const place = { region, account: LOCAL_ACCOUNT };
  const destination = {
    RoleARN: arn({ ...place, region: '' }, 'iam', 'role/delivery'),
    BucketARN: `arn:aws:s3:::${bucket}`,
    Prefix: `${prefix}!{timestamp:yyyy/MM/dd/HH}/`,
    ErrorOutputPrefix: 'delivery-errors/!{firehose:error-output-type}/!{timestamp:yyyy/MM/dd/HH}/',
    BufferingHints: {
      SizeInMBs: Math.min(Math.ceil(buffering.bytes / MEBIBYTE), LARGEST_BUFFER_MEBIBYTES),
      IntervalInSeconds: Math.round(buffering.milliseconds / 1000),
    },
    CompressionFormat: 'GZIP',
    EncryptionConfiguration: { NoEncryptionConfig: 'NoEncryption' },
  };
  const DeliveryStreamDescription = {
    DeliveryStreamName: name,
    DeliveryStreamARN: arn(place, 'firehose', `deliverystream/${name}`),
    DeliveryStreamStatus: 'ACTIVE',
    DeliveryStreamType: 'DirectPut',
    VersionId: '1',
    CreateTimestamp: now() / 1000,
    Destinations: [
      {
        DestinationId: 'destinationId-000000000001',
        S3DestinationDescription: destination,
        ExtendedS3DestinationDescription: { ...destination, FileExtension: '.json.gz' },
      },
    ],
    HasMoreDestinations: false,
  };
  return ({ DeliveryStreamName: asked }: CommandInput): ServiceAnswer => {
    if (asked === name) return { output: { DeliveryStreamDescription } };
    throw new AwsError(400, 'ResourceNotFoundException', `Firehose ${asked} under account ${LOCAL_ACCOUNT} not found.`);
  };
}
