/** The SDK's clients, made once a container. Their own retries are off: see aws-calls.ts. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { FirehoseClient } from '@aws-sdk/client-firehose';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Sender } from './aws-calls.ts';

export interface AwsClients {
  readonly dynamodb: Sender;
  readonly firehose: Sender;
  readonly secrets: Sender;
  readonly s3: () => Promise<Sender>;
}

/** Well below the time for which a lease must outlast a batch of writes. */
const REQUEST_TIMEOUT_MILLISECONDS = 8_000;
const CONNECTION_TIMEOUT_MILLISECONDS = 2_000;

export function createAwsClients(options: { readonly s3PathStyle: boolean }): AwsClients {
  const config = {
    maxAttempts: 1,
    requestHandler: {
      requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
      throwOnRequestTimeout: true,
      connectionTimeout: CONNECTION_TIMEOUT_MILLISECONDS,
    },
  };
  let s3: Promise<Sender> | undefined;
  return {
    dynamodb: new DynamoDBClient(config),
    firehose: new FirehoseClient(config),
    secrets: new SecretsManagerClient(config),
    s3: () => {
      s3 ??= import('@aws-sdk/client-s3').then(
        ({ S3Client }) => new S3Client({ ...config, forcePathStyle: options.s3PathStyle }),
      );
      return s3;
    },
  };
}
