/** The operator's AWS clients: region, profile and endpoints as the SDK finds them. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** Beyond the 15 minutes that an invocation may take, in which no byte arrives. */
const SOCKET_TIMEOUT_MILLISECONDS = 16 * 60_000;
const CONNECTION_TIMEOUT_MILLISECONDS = 10_000;

export const awsClients = {
  /** Tries once: a repeated invocation is another run. */
  invoker: () =>
    new LambdaClient({
      maxAttempts: 1,
      requestHandler: {
        socketTimeout: SOCKET_TIMEOUT_MILLISECONDS,
        connectionTimeout: CONNECTION_TIMEOUT_MILLISECONDS,
      },
    }),
  lambda: () => new LambdaClient({}),
  dynamodb: () => new DynamoDBClient({ maxAttempts: 1 }),
  secrets: () => new SecretsManagerClient({}),
};
