/** The SDK's clients, made once a container. Their own retries are off: see aws-calls.ts. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { FirehoseClient } from '@aws-sdk/client-firehose';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Sender } from './aws-calls.ts';
import { leaseTimes } from './lease-times.ts';

export interface AwsClients {
  readonly dynamodb: Sender;
  readonly firehose: Sender;
  readonly secrets: Sender;
  readonly s3: () => Promise<Sender>;
}

export interface AwsClientOptions {
  readonly s3PathStyle: boolean;
  /** How long requests may take follows from it: a write must not outlast its lease. */
  readonly leaseSeconds: number;
}

export function createAwsClients({ s3PathStyle, leaseSeconds }: AwsClientOptions): AwsClients {
  const { requestTimeout, connectionTimeout } = leaseTimes(leaseSeconds);
  const config = {
    maxAttempts: 1,
    requestHandler: { requestTimeout, throwOnRequestTimeout: true, connectionTimeout },
  };
  let s3: Promise<Sender> | undefined;
  return {
    dynamodb: new DynamoDBClient(config),
    firehose: new FirehoseClient(config),
    secrets: new SecretsManagerClient(config),
    s3: () => {
      s3 ??= import('@aws-sdk/client-s3').then(
        ({ S3Client }) => new S3Client({ ...config, forcePathStyle: s3PathStyle }),
      );
      return s3;
    },
  };
}
