import { RemovalPolicy } from 'aws-cdk-lib';
import * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { createDeliveryRole } from './delivery-role.ts';
import { s3Destination } from './s3-destination.ts';

export interface DeliveryProps {
  readonly bucket: IBucket;
  readonly bufferSeconds: number;
  readonly logRetention: logs.RetentionDays;
  readonly encryptionKey?: IKey;
}

/** The delivery stream, and what it needs to write and to say what went wrong. */
export class Delivery extends Construct {
  readonly stream: firehose.IDeliveryStreamRef;

  constructor(scope: Construct, id: string, props: DeliveryProps) {
    super(scope, id);
    const logGroup = new logs.LogGroup(this, 'Errors', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const logStream = new logs.LogStream(this, 'ErrorStream', { logGroup, removalPolicy: RemovalPolicy.DESTROY });
    const role = createDeliveryRole(this, { ...props, logGroup });
    const logging = { enabled: true, logGroupName: logGroup.logGroupName, logStreamName: logStream.logStreamName };
    this.stream = new firehose.CfnDeliveryStream(this, 'Stream', {
      deliveryStreamType: 'DirectPut',
      deliveryStreamEncryptionConfigurationInput: streamEncryption(props.encryptionKey),
      ...s3Destination({ ...props, role, logging }, props.bufferSeconds),
    });
  }
}

function streamEncryption(key: IKey | undefined) {
  return key ? { keyType: 'CUSTOMER_MANAGED_CMK', keyArn: key.keyArn } : { keyType: 'AWS_OWNED_CMK' };
}
