/** The SDK's clients, made once a container. Their own retries are off: see aws-calls.ts. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { FirehoseClient } from '@aws-sdk/client-firehose';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { backoff, MAX_ATTEMPTS, type RetryBudget } from './core/retry.ts';
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

/**
 * Calls to AWS that try again. The SDK's own retries are off (`maxAttempts: 1`), because only here are the time budget,
 * the lease and the simulation's clock known.
 */

/** The one verb of an SDK client that the adapters use. */
export interface Sender {
  // The SDK types `send` by overloads that no structural type can stand for.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  send(command: any): Promise<any>;
}

const THROTTLES = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
  'SlowDown',
  'ServiceUnavailableException',
  'LimitExceededException',
]);

/** The service is alive and asks for patience: waited out until the time budget ends. */
export function isThrottle(error: unknown): boolean {
  return error instanceof Error && THROTTLES.has(error.name);
}

/** The call may or may not have had its effect, or the service stumbled: tried again a few times. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $metadata: metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown };
  const status = metadata?.httpStatusCode;
  if (status !== undefined && status >= 500) return true;
  return error.name === 'TimeoutError' || error.name === 'InternalServerError' || typeof code === 'string';
}

/**
 * Runs `attempt` until it succeeds, fails for good, or patience ends; then rejects with the last error.
 *
 * @param before runs before every try, the first included; what it throws ends the call
 * @param stop ends the wait before the next try
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  retryBudget: RetryBudget,
  before?: () => Promise<void>,
  stop?: AbortSignal,
): Promise<T> {
  // Apart from one another: a service that was busy for long has not used up the tries that its stumbling is granted.
  let throttles = 0;
  let failures = 0;
  for (;;) {
    await before?.();
    try {
      return await attempt();
    } catch (error) {
      const throttled = isThrottle(error);
      const tries = throttled ? ++throttles : ++failures;
      const worthIt = throttled || (isTransient(error) && tries < MAX_ATTEMPTS);
      const delay = backoff(tries, retryBudget.random);
      if (!worthIt || delay >= retryBudget.timeLeft()) throw error;
      await retryBudget.clock.sleep(delay, stop);
    }
  }
}

/** What the guard throws comes through as it is: it is no failure of the call. */
export function isLeaseError(error: unknown): boolean {
  return error instanceof Error && ['LeaseLostError', 'StateError', 'AbortError'].includes(error.name);
}
