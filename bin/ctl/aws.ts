/** The operator's AWS clients, each made when first asked for: region, profile and endpoints as the SDK finds them, or as told. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { FirehoseClient } from '@aws-sdk/client-firehose';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { STSClient } from '@aws-sdk/client-sts';
import type { Sender } from '../../lambda/adapters/aws-calls.ts';
import { interruptible } from './interruptible.ts';
import { once } from './once.ts';

/** Beyond the 15 minutes that an invocation may take, in which no byte arrives. */
const INVOCATION_TIMEOUT_MILLISECONDS = 16 * 60_000;
const CONNECTION_TIMEOUT_MILLISECONDS = 10_000;

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
    cloudFormation: made(() => new CloudFormationClient(place)),
    cloudWatch: made(() => new CloudWatchClient(place)),
    /** Tries again by itself, for commands that no adapter of the connector makes. */
    patientDynamodb: made(() => new DynamoDBClient(place)),
    /** Tries once: the adapters of the connector bring patience of their own. */
    dynamodb: made(() => new DynamoDBClient({ ...place, maxAttempts: 1 })),
    firehose: made(() => new FirehoseClient(place)),
    iam: made(() => new IAMClient(place)),
    lambda: made(() => new LambdaClient(place)),
    /** Tries once: a repeated invocation is another run. */
    invoker: made(
      () =>
        new LambdaClient({
          ...place,
          maxAttempts: 1,
          requestHandler: {
            socketTimeout: INVOCATION_TIMEOUT_MILLISECONDS,
            connectionTimeout: CONNECTION_TIMEOUT_MILLISECONDS,
          },
        }),
    ),
    s3: made(() => new S3Client({ ...place, forcePathStyle: hasOwnS3() })),
    scheduler: made(() => new SchedulerClient(place)),
    secrets: made(() => new SecretsManagerClient(place)),
    sns: made(() => new SNSClient(place)),
    sqs: made(() => new SQSClient(place)),
    sts: made(() => new STSClient(place)),
  };
}

/** Endpoints that stand in for S3 have no host name a bucket. */
function hasOwnS3(): boolean {
  return Boolean(process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL']);
}
