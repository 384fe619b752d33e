/**
 * Creates the delivery stream of a destination, with its role, its error log, and the token of its
 * endpoint.
 */
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { createPlaceholderSecret, type PlaceholderSecret } from '../credentials.ts';
import { PREFIXES } from '../prefixes.ts';
import { allowStatement, keyStatements, secretArnOf } from '../statements.ts';
import type { DestinationBindOptions } from './destination-config.ts';

/**
 * Prefix with the time of arrival, in UTC. Every part is padded with zeros, so that names sort by
 * time.
 */
export const TIME_PREFIX = '!{timestamp:yyyy/MM/dd/HH}/';

/** Token that Firehose sends to an endpoint. */
interface Token {
  /** Member of the secret that holds the token. */
  readonly member: string;
  /** The secret, if it exists already. */
  readonly secret: ISecret | undefined;
}

/**
 * Creates the error log and the role of Firehose.
 *
 * @param token token of the endpoint, if there is an endpoint
 * @returns settings that destinations share
 */
export function createDeliveryParts(scope: Construct, options: DestinationBindOptions, token?: Token) {
  const { bucket, encryptionKey, logRetention } = options;
  const removalPolicy = RemovalPolicy.DESTROY;
  const logGroup = new logs.LogGroup(scope, 'Errors', { retention: logRetention, removalPolicy });
  const { logStreamName } = new logs.LogStream(scope, 'ErrorStream', { logGroup, removalPolicy });
  const secret = token && (token.secret ?? createToken(scope, token.member, options));
  const { roleArn } = createRole(scope, options, logGroup, secret);

  const cloudWatchLoggingOptions = { enabled: true, logGroupName: logGroup.logGroupName, logStreamName };
  const encryption = encryptionKey && { kmsEncryptionConfig: { awskmsKeyArn: encryptionKey.keyArn } };
  const bucketSettings = {
    bucketArn: bucket.bucketArn,
    roleArn,
    compressionFormat: 'GZIP',
    errorOutputPrefix: `${PREFIXES.deliveryErrors}!{firehose:error-output-type}/${TIME_PREFIX}`,
    cloudWatchLoggingOptions,
    ...(encryption && { encryptionConfiguration: encryption }),
  };
  const endpointSettings = {
    secretsManagerConfiguration: { enabled: true, roleArn, ...(secret && { secretArn: secret.secretArn }) },
    cloudWatchLoggingOptions,
    // Events that the endpoint refuses go to the bucket, and an alarm reports them.
    s3Configuration: {
      ...bucketSettings,
      prefix: `${PREFIXES.deliveryErrors}backup/${TIME_PREFIX}`,
      bufferingHints: { intervalInSeconds: 60, sizeInMBs: 5 },
    },
  };
  return { roleArn, bucketSettings, endpointSettings };
}

/**
 * @param id id of the stream, which differs for each kind of destination, because Firehose cannot
 * change the kind of a stream
 */
export function createDeliveryStream(
  scope: Construct,
  id: string,
  { encryptionKey }: DestinationBindOptions,
  destination: Partial<firehose.CfnDeliveryStreamProps>,
): firehose.CfnDeliveryStream {
  return new firehose.CfnDeliveryStream(scope, id, {
    deliveryStreamType: 'DirectPut',
    deliveryStreamEncryptionConfigurationInput: encryptionKey
      ? { keyType: 'CUSTOMER_MANAGED_CMK', keyArn: encryptionKey.keyArn }
      : { keyType: 'AWS_OWNED_CMK' },
    ...destination,
  });
}

/**
 * Creates the secret for the token that Firehose sends to the endpoint. A person fills it in after
 * the deployment.
 */
function createToken(scope: Construct, member: string, options: DestinationBindOptions): ISecret {
  const placeholder: PlaceholderSecret = {
    description: `Token of the endpoint that connector ${options.connectorName} delivers to: {"${member}": "…"}`,
    members: [member],
    fill: { output: 'FillToken', file: 'token.json' },
  };
  return createPlaceholderSecret(scope, 'Token', placeholder, options);
}

/**
 * Creates the role of Firehose, which may write below two prefixes of the bucket and log errors,
 * but nothing else.
 *
 * @param token token of the endpoint, if there is an endpoint
 */
function createRole(
  scope: Construct,
  { bucket, encryptionKey }: DestinationBindOptions,
  logGroup: logs.ILogGroup,
  token: ISecret | undefined,
): iam.Role {
  // If the destination is an endpoint, the bucket receives only events that the endpoint refused.
  const prefixes = token ? [PREFIXES.deliveryErrors] : [PREFIXES.events, PREFIXES.deliveryErrors];
  const written = prefixes.map(prefix => bucket.arnForObjects(`${prefix}*`));
  const statements = [
    allowStatement(['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'], bucket.bucketArn),
    allowStatement(['s3:PutObject', 's3:GetObject', 's3:AbortMultipartUpload'], ...written),
    allowStatement(['logs:PutLogEvents'], logGroup.logGroupArn),
    ...(token ? [allowStatement(['secretsmanager:GetSecretValue'], secretArnOf(token))] : []),
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
 * Trusts Firehose when it acts for a delivery stream of this account. Older trust policies name the
 * account as the external id, but newer trust policies name it as the source account, and AWS does
 * not document which of the two Firehose always sends. Therefore one of the two is enough, and a
 * call that has neither is refused.
 */
function firehoseOfAccount(account: string): iam.IPrincipal {
  const naming = (key: string) =>
    new iam.ServicePrincipal('firehose.amazonaws.com', { conditions: { StringEquals: { [key]: account } } });
  return new iam.CompositePrincipal(naming('aws:SourceAccount'), naming('sts:ExternalId'));
}
