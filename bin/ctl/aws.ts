/** The operator's AWS clients, each made when first asked for: region, profile and endpoints as the SDK finds them, or as told. */
import { createRequire } from 'node:module';
import type { Sender } from '../../lambda/aws.ts';
import { interruptible } from './interruptible.ts';
import { once } from './once.ts';

/** Beyond the 15 minutes that an invocation may take, in which no byte arrives. */
const INVOCATION_TIMEOUT_MILLISECONDS = 16 * 60_000;
const CONNECTION_TIMEOUT_MILLISECONDS = 10_000;

/** Loaded when first asked for: no command needs them all, and together they take longer to load than most commands to answer. */
const load = createRequire(import.meta.url);
const SDK = {
  cloudFormation: (): typeof import('@aws-sdk/client-cloudformation') => load('@aws-sdk/client-cloudformation'),
  cloudWatch: (): typeof import('@aws-sdk/client-cloudwatch') => load('@aws-sdk/client-cloudwatch'),
  dynamodb: (): typeof import('@aws-sdk/client-dynamodb') => load('@aws-sdk/client-dynamodb'),
  firehose: (): typeof import('@aws-sdk/client-firehose') => load('@aws-sdk/client-firehose'),
  iam: (): typeof import('@aws-sdk/client-iam') => load('@aws-sdk/client-iam'),
  lambda: (): typeof import('@aws-sdk/client-lambda') => load('@aws-sdk/client-lambda'),
  s3: (): typeof import('@aws-sdk/client-s3') => load('@aws-sdk/client-s3'),
  scheduler: (): typeof import('@aws-sdk/client-scheduler') => load('@aws-sdk/client-scheduler'),
  secrets: (): typeof import('@aws-sdk/client-secrets-manager') => load('@aws-sdk/client-secrets-manager'),
  sns: (): typeof import('@aws-sdk/client-sns') => load('@aws-sdk/client-sns'),
  sqs: (): typeof import('@aws-sdk/client-sqs') => load('@aws-sdk/client-sqs'),
  sts: (): typeof import('@aws-sdk/client-sts') => load('@aws-sdk/client-sts'),
};

export type Aws = ReturnType<typeof createAws>;

export interface AwsPlace {
  readonly region?: string;
  readonly profile?: string;
}

/** @param signal cuts off what only reads */
export function createAws({ region, profile }: AwsPlace, signal: AbortSignal) {
  const place = { ...(region && { region }), ...(profile && { profile }) };
  const made = <T extends Sender>(make: () => T) => once(() => interruptible(make(), signal));
  return {
    cloudFormation: made(() => new (SDK.cloudFormation().CloudFormationClient)(place)),
    cloudWatch: made(() => new (SDK.cloudWatch().CloudWatchClient)(place)),
    /** Tries again by itself, for commands that no adapter of the connector makes. */
    patientDynamodb: made(() => new (SDK.dynamodb().DynamoDBClient)(place)),
    /** Tries once: the adapters of the connector bring patience of their own. */
    dynamodb: made(() => new (SDK.dynamodb().DynamoDBClient)({ ...place, maxAttempts: 1 })),
    firehose: made(() => new (SDK.firehose().FirehoseClient)(place)),
    iam: made(() => new (SDK.iam().IAMClient)(place)),
    lambda: made(() => new (SDK.lambda().LambdaClient)(place)),
    /** Tries once: a repeated invocation is another run. */
    invoker: made(
      () =>
        new (SDK.lambda().LambdaClient)({
          ...place,
          maxAttempts: 1,
          requestHandler: {
            socketTimeout: INVOCATION_TIMEOUT_MILLISECONDS,
            connectionTimeout: CONNECTION_TIMEOUT_MILLISECONDS,
          },
        }),
    ),
    s3: made(() => new (SDK.s3().S3Client)({ ...place, forcePathStyle: hasOwnS3() })),
    scheduler: made(() => new (SDK.scheduler().SchedulerClient)(place)),
    secrets: made(() => new (SDK.secrets().SecretsManagerClient)(place)),
    sns: made(() => new (SDK.sns().SNSClient)(place)),
    sqs: made(() => new (SDK.sqs().SQSClient)(place)),
    sts: made(() => new (SDK.sts().STSClient)(place)),
  };
}

/** Endpoints that stand in for S3 have no host name a bucket. */
function hasOwnS3(): boolean {
  return Boolean(process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL']);
}
