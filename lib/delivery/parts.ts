import type { IRole } from 'aws-cdk-lib/aws-iam';
import type * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';

/** What every destination is made of. */
export interface DestinationParts {
  readonly bucket: IBucket;
  readonly role: IRole;
  readonly logging: firehose.CfnDeliveryStream.CloudWatchLoggingOptionsProperty;
  readonly encryptionKey?: IKey;
}
