/**
 * Creates the SDK's clients, once per container, and classifies their failures. The retries of the
 * SDK are off (`maxAttempts: 1`), because only core/retry.ts knows the time budget, the lease and
 * the clock of the simulation.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { FirehoseClient } from '@aws-sdk/client-firehose';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import { DynamoDBProtocol, FirehoseProtocol } from './bulk-protocols.ts';
import { connectionError } from './core/connection-error.ts';
import { IncompleteAnswerError } from './core/errors.ts';
import { type Failure, isRetryable, type RetryPolicy, retry, TryAgain } from './core/retry.ts';
import { leaseTimes } from './lease-times.ts';
import { type ProxySettings, proxyAgent, withProxyErrors } from './proxy.ts';

export interface AwsClients {
  readonly dynamodb: Sender;
  readonly firehose: Sender;
  readonly secrets: Sender;
  /**
   * Returns the S3 client. It is created on first use, because it takes the longest of all clients
   * to load, and a run without changes does not need it.
   */
  readonly s3: () => Promise<Sender>;
}

export interface AwsClientOptions {
  readonly s3PathStyle: boolean;
  /**
   * Duration of the lease in seconds. It limits the time-outs of requests, because a write must not
   * outlast its lease.
   */
  readonly leaseSeconds: number;
  readonly proxy?: ProxySettings | undefined;
}

export function createAwsClients({ s3PathStyle, leaseSeconds, proxy }: AwsClientOptions): AwsClients {
  const { requestTimeout, connectionTimeout } = leaseTimes(leaseSeconds);
  const config = {
    maxAttempts: 1,
    logger: QUIET,
    requestHandler: { requestTimeout, throwOnRequestTimeout: true, connectionTimeout, ...proxyAgent(proxy) },
  };
  let s3: Promise<Sender> | undefined;
  const sender = <T extends Sender>(client: T): T => {
    if (proxy) client.send = withProxyErrors(client.send.bind(client), proxy);
    return client;
  };
  return {
    dynamodb: sender(refusingEmpty(new DynamoDBClient({ ...config, protocol: DynamoDBProtocol }))),
    firehose: sender(new FirehoseClient({ ...config, protocol: FirehoseProtocol })),
    secrets: sender(new SecretsManagerClient(config)),
    s3: () => {
      s3 ??= import('./sink/s3.ts').then(({ createS3Client }) =>
        sender(createS3Client({ ...config, forcePathStyle: s3PathStyle })),
      );
      return s3;
    },
  };
}

/**
 * Rejects an answer with an empty body. The SDK takes every answer with the status 200 for a
 * success, and turns an empty body, which a proxy may send, into an output without members. A write
 * that never reached the table would then count as done. store/table.ts checks the members that an
 * answer must have.
 */
function refusingEmpty(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async call => {
        const result = await next(call);
        const response = result.response as { readonly statusCode: number; body: Uint8Array };
        response.body = await client.config.streamCollector(response.body);
        if (response.statusCode < 300 && response.body.length === 0)
          throw new IncompleteAnswerError('DynamoDB', commandName.replace(/Command$/, ''), 'without a body');
        return result;
      },
    // The priority is low, so that the SDK parses the body after this step.
    { step: 'deserialize', priority: 'low' },
  );
  return client;
}

/**
 * A logger without `info`. The SDK's default logger has an `info` that does nothing, but for every
 * call the SDK copies the input and the output for it, which takes some 15 % of the CPU of a walk.
 * Where `info` is missing, the SDK copies nothing.
 */
const QUIET = { trace() {}, debug() {}, warn() {}, error() {} } as unknown as NonNullable<
  SecretsManagerClientConfig['logger']
>;

/** The only method of an SDK client that the adapters use. */
export interface Sender {
  // The SDK declares `send` with overloads, which no structural type can replace.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  send(command: any): Promise<any>;
}

/** Names of errors and codes of records with which AWS reports that it throttles a call. */
const THROTTLES =
  /^(ProvisionedThroughputExceeded|RequestLimitExceeded|Throttling|TooManyRequests|SlowDown|ServiceUnavailable|LimitExceeded)/;

export function isThrottle(name: string): boolean {
  return THROTTLES.test(name);
}

/**
 * Whether the service failed for a moment, or it is unknown whether the call had its effect.
 * Another try may then succeed.
 */
function isTransient(error: unknown): boolean {
  if (error instanceof IncompleteAnswerError) return true;
  if (!(error instanceof Error)) return false;
  const { $metadata: metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown };
  const status = metadata?.httpStatusCode;
  // A refusal is classified by its status alone, because its body may set any member of the error,
  // even `code`.
  if (status !== undefined && status >= 400) return isRetryable(status);
  if (connectionError(error)?.isFinal) return false;
  return error.name === 'TimeoutError' || error.name === 'InternalServerError' || typeof code === 'string';
}

/** @returns undefined when another try would fail as well */
export function awsFailure(error: unknown): Failure | undefined {
  if (error instanceof Error && isThrottle(error.name)) return 'throttled';
  return isTransient(error) ? 'transient' : undefined;
}

export interface AwsCallOptions extends Pick<RetryPolicy, 'budget' | 'before' | 'stop'> {
  /** Creates the error with which `callAws` rejects. */
  readonly failed: (cause: unknown) => Error;
}

/** Retries a call to AWS until it succeeds, fails permanently, or the tries or the time run out. */
export async function callAws<T>(attempt: () => Promise<T>, { failed, ...policy }: AwsCallOptions): Promise<T> {
  const classified = async () => {
    try {
      return await attempt();
    } catch (error) {
      const failure = awsFailure(error);
      throw failure ? new TryAgain(failure, error as Error) : error;
    }
  };
  try {
    return await retry(classified, policy);
  } catch (error) {
    throw isLeaseError(error) ? error : failed(error);
  }
}

/**
 * Whether the error comes from the lease check, or from the signal that stops parallel calls.
 * Neither is a failure of the call, so both are rethrown unchanged.
 */
function isLeaseError(error: unknown): boolean {
  return error instanceof Error && ['LeaseLostError', 'StateError', 'AbortError'].includes(error.name);
}
