import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { ConnectorOptions } from '../config/props.ts';
import { createPlaceholderSecret, type PlaceholderSecret } from '../credentials.ts';
import { PREFIXES } from '../prefixes.ts';
import { allow, keyStatements, secretArnOf } from '../statements.ts';
import { destinationProperties, type OwnDestination, TOKEN_MEMBERS } from './destinations.ts';

export interface DeliveryProps extends ConnectorOptions {
  readonly destination: OwnDestination;
  readonly bucket: IBucket;
}

/** The delivery stream with its role, its error log, and the token of its endpoint. */
export class Delivery extends Construct {
  readonly stream: firehose.IDeliveryStreamRef;

  constructor(scope: Construct, id: string, props: DeliveryProps) {
    super(scope, id);
    const { destination } = props;
    const logGroup = new logs.LogGroup(this, 'Errors', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const logStream = new logs.LogStream(this, 'ErrorStream', { logGroup, removalPolicy: RemovalPolicy.DESTROY });
    const given = 'secret' in destination ? destination.secret : undefined;
    const member = TOKEN_MEMBERS[destination.type];
    const token = member && (given ?? this.createToken(member, props));
    const parts = {
      ...props,
      role: createDeliveryRole(this, props, logGroup, token),
      logging: { enabled: true, logGroupName: logGroup.logGroupName, logStreamName: logStream.logStreamName },
      token,
    };
    this.stream = new firehose.CfnDeliveryStream(this, streamId(destination), {
      deliveryStreamType: 'DirectPut',
      deliveryStreamEncryptionConfigurationInput: streamEncryption(props.encryptionKey),
      ...destinationProperties(destination, parts),
    });
  }

  /** The token that Firehose sends to the endpoint. Somebody fills it in after the deployment. */
  private createToken(member: string, props: DeliveryProps): ISecret {
    const placeholder: PlaceholderSecret = {
      description: `Token of the endpoint that connector ${props.connectorName} delivers to: {"${member}": "…"}`,
      members: [member],
      fill: { output: 'FillToken', file: 'token.json' },
    };
    return createPlaceholderSecret(this, 'Token', placeholder, props);
  }
}

/** Firehose cannot change the kind of a destination, so each kind has its own delivery stream. */
function streamId({ type }: OwnDestination): string {
  return `To${type[0]!.toUpperCase()}${type.slice(1)}`;
}

function streamEncryption(key: IKey | undefined) {
  return key ? { keyType: 'CUSTOMER_MANAGED_CMK', keyArn: key.keyArn } : { keyType: 'AWS_OWNED_CMK' };
}

/**
 * The role of Firehose. It allows to write below two prefixes of the bucket and to log errors, and nothing else.
 *
 * @param token of the endpoint, where there is an endpoint
 */
function createDeliveryRole(
  scope: Construct,
  { bucket, encryptionKey }: DeliveryProps,
  logGroup: logs.ILogGroup,
  token: ISecret | undefined,
): iam.Role {
  // With an endpoint as destination, the bucket only receives events that the endpoint refused.
  const prefixes = token ? [PREFIXES.deliveryErrors] : [PREFIXES.events, PREFIXES.deliveryErrors];
  const written = prefixes.map(prefix => bucket.arnForObjects(`${prefix}*`));
  const statements = [
    allow(['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'], bucket.bucketArn),
    allow(['s3:PutObject', 's3:GetObject', 's3:AbortMultipartUpload'], ...written),
    allow(['logs:PutLogEvents'], logGroup.logGroupArn),
    ...(token ? [allow(['secretsmanager:GetSecretValue'], secretArnOf(token))] : []),
    ...keyStatements(scope, {
      writeObjects: [encryptionKey, bucket.encryptionKey],
      ...(token && { readSecret: [encryptionKey, token.encryptionKey] }),
    }),
  ];
  return new iam.Role(scope, 'Role', {
    description: 'Lets the delivery stream write events, and what it could not deliver, into the bucket.',
    assumedBy: firehoseOfAccount(Stack.of(scope).account),
    inlinePolicies: { Deliver: new iam.PolicyDocument({ statements }) },
  });
}

/**
 * Firehose, acting for a delivery stream of this account. Older trust policies name the account as external id, newer ones as source account,
 * and no document says which of the two Firehose always sends. So either is enough, and a call with neither is refused.
 */
function firehoseOfAccount(account: string): iam.IPrincipal {
  const naming = (key: string) =>
    new iam.ServicePrincipal('firehose.amazonaws.com', { conditions: { StringEquals: { [key]: account } } });
  return new iam.CompositePrincipal(naming('aws:SourceAccount'), naming('sts:ExternalId'));
}
