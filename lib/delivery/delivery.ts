import { RemovalPolicy as Policy, type RemovalPolicy } from 'aws-cdk-lib';
import * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { createDeliveryRole } from './delivery-role.ts';
import { bufferSecondsOf, converts, type Destination, type ExistingDeliveryStream } from './destination.ts';
import { httpDestination, splunkDestination } from './endpoint-destination.ts';
import { createEndpointToken } from './endpoint-token.ts';
import type { FormatName } from './parquet-columns.ts';
import { s3ParquetDestination } from './parquet-destination.ts';
import { ParquetSchema } from './parquet-schema.ts';
import type { DestinationParts, DestinationProperties } from './parts.ts';
import { s3ByStreamDestination, s3Destination } from './s3-destination.ts';

export interface DeliveryProps {
  readonly connectorName: string;
  readonly format: FormatName;
  readonly destination: Exclude<Destination, ExistingDeliveryStream>;
  readonly bucket: IBucket;
  readonly logRetention: logs.RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
}

/** The delivery stream, and what it needs to write and to say what went wrong. */
export class Delivery extends Construct {
  readonly stream: firehose.IDeliveryStreamRef;

  constructor(scope: Construct, id: string, props: DeliveryProps) {
    super(scope, id);
    const logGroup = new logs.LogGroup(this, 'Errors', {
      retention: props.logRetention,
      removalPolicy: Policy.DESTROY,
    });
    const logStream = new logs.LogStream(this, 'ErrorStream', { logGroup, removalPolicy: Policy.DESTROY });
    const token = this.token(props);
    const schema = this.schema(props);
    const parts = {
      ...props,
      role: createDeliveryRole(this, { ...props, logGroup, ...(token && { token }), ...(schema && { schema }) }),
      logging: { enabled: true, logGroupName: logGroup.logGroupName, logStreamName: logStream.logStreamName },
      bufferSeconds: bufferSecondsOf(props.destination),
    };
    this.stream = new firehose.CfnDeliveryStream(this, streamId(props.destination), {
      deliveryStreamType: 'DirectPut',
      deliveryStreamEncryptionConfigurationInput: streamEncryption(props.encryptionKey),
      ...propertiesOf(props.destination, parts, token, schema),
    });
  }

  private schema(props: DeliveryProps): ParquetSchema | undefined {
    return converts(props.destination) ? new ParquetSchema(this, 'Parquet', props) : undefined;
  }

  private token(props: DeliveryProps): ISecret | undefined {
    const { destination } = props;
    if (destination.type === 'splunk') {
      return destination.secret ?? createEndpointToken(this, { ...props, member: 'hec_token' });
    }
    if (destination.type === 'http') {
      return destination.secret ?? createEndpointToken(this, { ...props, member: 'api_key' });
    }
    return undefined;
  }
}

/** Firehose cannot turn one kind of destination into another, nor switch partitioning on: another kind is another stream. */
function streamId({ type }: Destination): string {
  const words = type.split('-').map(word => word[0]?.toUpperCase() + word.slice(1));
  return `To${words.join('')}`;
}

function propertiesOf(
  destination: DeliveryProps['destination'],
  parts: DestinationParts,
  token: ISecret | undefined,
  schema: ParquetSchema | undefined,
): DestinationProperties {
  switch (destination.type) {
    case 's3':
      return s3Destination(parts);
    case 's3-by-stream':
      return s3ByStreamDestination(parts);
    case 's3-parquet':
      return s3ParquetDestination(parts, schema as ParquetSchema);
    case 'splunk':
      return splunkDestination(parts, destination, token as ISecret);
    case 'http':
      return httpDestination(parts, destination, token as ISecret);
  }
}

function streamEncryption(key: IKey | undefined) {
  return key ? { keyType: 'CUSTOMER_MANAGED_CMK', keyArn: key.keyArn } : { keyType: 'AWS_OWNED_CMK' };
}
