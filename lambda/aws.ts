/**
 * The SDK's clients, made once per container, and what their failures mean. Their own retries are off (`maxAttempts: 1`), because only
 * core/retry.ts knows the time budget, the lease and the clock of the simulation.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { FirehoseClient } from '@aws-sdk/client-firehose';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import {
  type Failure,
  failureOf,
  isRetryable,
  type RetryBudget,
  type RetryPolicy,
  retry,
  TryAgain,
} from './core/retry.ts';
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
    logger: QUIET,
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
 * Without it the SDK has a logger whose `info` does nothing, and copies the input and output of every call for it: some 15 % of the CPU
 * of a walk. Where `info` is missing it copies nothing.
 */
const QUIET = { trace() {}, debug() {}, warn() {}, error() {} } as unknown as NonNullable<
  SecretsManagerClientConfig['logger']
>;

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

/** The service works and is busy: waited out until the time budget ends. */
function isThrottle(error: unknown): boolean {
  return error instanceof Error && THROTTLES.has(error.name);
}

/** The call may or may not have had its effect, or the service failed for a moment. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $metadata: metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown };
  const status = metadata?.httpStatusCode;
  // Of a refusal only the status counts: its body may set any member of the error, `code` too.
  if (status !== undefined && status >= 400) return isRetryable(status);
  return error.name === 'TimeoutError' || error.name === 'InternalServerError' || typeof code === 'string';
}

/** What a failed call to AWS means to the loop of tries. */
export function awsFailure(error: unknown): Failure {
  if (error instanceof TryAgain) return failureOf(error);
  if (isThrottle(error)) return 'throttled';
  return isTransient(error) ? 'transient' : 'final';
}

/** Runs a call to AWS until it succeeds, fails for good, or the tries or the time are used up. Then rejects with the last error. */
export function callAws<T>(
  attempt: () => Promise<T>,
  budget: RetryBudget,
  policy: Pick<RetryPolicy, 'before' | 'stop' | 'giveUp' | 'onWait'> = {},
): Promise<T> {
  return retry(attempt, { budget, classify: awsFailure, ...policy });
}

/** What the check of the lease throws, and the signal that stops a sibling: no failure of the call, so it is passed on as it is. */
export function isLeaseError(error: unknown): boolean {
  return error instanceof Error && ['LeaseLostError', 'StateError', 'AbortError'].includes(error.name);
}
