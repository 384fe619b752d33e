import { Duration } from 'aws-cdk-lib';
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { Destination } from '../delivery/destination.ts';
import type { DestinationConfig } from './destination-schema.ts';

type EndpointConfig = Extract<DestinationConfig, { type: 'splunk' | 'http' }>;

export function destinationFrom(scope: Construct, config: DestinationConfig): Destination {
  switch (config.type) {
    case 's3':
      return { type: 's3', ...buffer(config) };
    case 's3-by-stream':
      return { type: 's3-by-stream', ...buffer(config) };
    case 's3-parquet':
      return { type: 's3-parquet', ...buffer(config) };
    case 'splunk':
      return { type: 'splunk', ...endpoint(scope, config) };
    case 'http':
      return { type: 'http', ...endpoint(scope, config), ...(config.name && { name: config.name }) };
    case 'existing':
      return {
        type: 'existing',
        deliveryStream: CfnDeliveryStream.fromDeliveryStreamArn(scope, 'DeliveryStream', config.deliveryStreamArn),
        deliversTo: config.deliversTo,
      };
  }
}

function buffer({ bufferSeconds }: { bufferSeconds?: number | undefined }) {
  return bufferSeconds === undefined ? {} : { bufferInterval: Duration.seconds(bufferSeconds) };
}

function endpoint(scope: Construct, config: EndpointConfig) {
  const { secretArn, retrySeconds } = config;
  return {
    url: config.url,
    ...buffer(config),
    ...(secretArn && { secret: secretsmanager.Secret.fromSecretCompleteArn(scope, 'Token', secretArn) }),
    ...(retrySeconds !== undefined && { retry: Duration.seconds(retrySeconds) }),
  };
}
