import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { PAGE_LIMIT } from '../lambda/streams.ts';
import type { SecurityDataConnectorProps } from './connector-props.ts';
import { createPlaceholderSecret } from './credentials.ts';
import { createDataBucket } from './data-bucket.ts';
import { DEFAULTS } from './defaults.ts';
import { Delivery } from './delivery/delivery.ts';
import { functionEnvironment } from './function-environment.ts';
import { Poller } from './poller.ts';
import { createStateTable } from './state-table.ts';
import { Tick } from './tick.ts';

/** Everything that brings one organization’s changes from the API to its SIEM. */
export class SecurityDataConnector extends Construct {
  readonly credentials: ISecret;
  readonly bucket: IBucket;
  readonly state: ITableV2;
  readonly delivery: IDeliveryStreamRef;
  readonly function: IFunction;

  constructor(scope: Construct, id: string, props: SecurityDataConnectorProps) {
    super(scope, id);
    const shared = {
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      logRetention: props.logRetention ?? DEFAULTS.logRetentionDays,
      ...(props.encryptionKey && { encryptionKey: props.encryptionKey }),
    };
    const retention = props.retention ?? Duration.days(DEFAULTS.retentionDays);
    this.credentials = props.secret ?? this.createCredentials(props, shared);
    this.bucket = props.bucket ?? createDataBucket(this, { ...shared, retention });
    this.state = createStateTable(this, shared);
    this.delivery = new Delivery(this, 'Delivery', {
      ...shared,
      bucket: this.bucket,
      bufferSeconds: DEFAULTS.bufferSeconds,
    }).stream;
    this.function = this.createPoller(props, shared);
    new Tick(this, 'Tick', {
      function: this.function,
      rate: props.rate ?? Duration.minutes(DEFAULTS.rateMinutes),
      enabled: props.enabled ?? true,
    });
  }

  private createPoller(props: SecurityDataConnectorProps, shared: { readonly logRetention: number }): IFunction {
    const resources = {
      credentials: this.credentials,
      state: this.state,
      delivery: this.delivery,
      bucket: this.bucket,
    };
    const environment = functionEnvironment(
      {
        ...props,
        name: props.connectorName,
        threatAssetField: props.threatAssetField ?? DEFAULTS.threatAssetField,
        pageLimit: props.pageLimit ?? PAGE_LIMIT.default,
        leaseSeconds: props.lease?.toSeconds(),
      },
      resources,
    );
    const memoryMegabytes = props.memorySize ?? DEFAULTS.memoryMegabytes;
    return new Poller(this, 'Poller', { ...resources, ...shared, environment, memoryMegabytes }).function;
  }

  private createCredentials(
    props: SecurityDataConnectorProps,
    shared: { readonly removalPolicy: RemovalPolicy },
  ): ISecret {
    const secret = createPlaceholderSecret(this, 'Credentials', {
      ...shared,
      description: `Client credentials of connector ${props.connectorName}: {"client_id": "…", "client_secret": "…"}`,
      members: ['client_id', 'client_secret'],
    });
    new CfnOutput(this, 'FillCredentials', {
      description: 'Puts the credentials in place; credentials.json holds {"client_id": "…", "client_secret": "…"}',
      value: `aws secretsmanager put-secret-value --region ${Stack.of(this).region} --secret-id ${secret.secretArn} --secret-string file://credentials.json`,
    });
    return secret;
  }
}
