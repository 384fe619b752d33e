/**
 * The SDK's clients, created once per container, and the classification of their failures. Their own retries are off (`maxAttempts: 1`),
 * because only core/retry.ts knows the time budget, the lease and the clock of the simulation.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { FirehoseClient } from '@aws-sdk/client-firehose';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import { DynamoDBProtocol, FirehoseProtocol } from './bulk-protocols.ts';
import { connectionError } from './core/connection-error.ts';
import { IncompleteAnswerError } from './core/errors.ts';
import { type Failure, isRetryable, type RetryPolicy, retry, TryAgain } from './core/retry.ts';
import { leaseTimes } from './lease-times.ts';
import { namingProxy, type ProxySettings, proxyAgent } from './proxy.ts';

export interface AwsClients {
  readonly dynamodb: Sender;
  readonly firehose: Sender;
  readonly secrets: Sender;
  /** Created on first use, because it is the heaviest. */
  readonly s3: () => Promise<Sender>;
}

export interface AwsClientOptions {
  readonly s3PathStyle: boolean;
  /** Seconds of the lease. They limit the time of requests, because a write must not outlast its lease. */
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
    if (proxy) client.send = namingProxy(client.send.bind(client), proxy);
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
 * The SDK takes every answer with the status 200 for a success, and makes an output without members of an empty body, which a proxy may send. A
 * write that never reached the table would count as done. store/table.ts looks for the members that an answer must have.
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
 * Without it the SDK has a logger whose `info` does nothing, and copies the input and output of every call for it: some 15 % of the CPU
 * of a walk. Where `info` is missing it copies nothing.
 */
const QUIET = { trace() {}, debug() {}, warn() {}, error() {} } as unknown as NonNullable<
  SecretsManagerClientConfig['logger']
>;

/** The only method of an SDK client that the adapters use. */
export interface Sender {
  // The SDK types `send` by overloads that no structural type can stand for.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  send(command: any): Promise<any>;
}

/** Names of errors, and codes of records, with which AWS throttles. */
const THROTTLES =
  /^(ProvisionedThroughputExceeded|RequestLimitExceeded|Throttling|TooManyRequests|SlowDown|ServiceUnavailable|LimitExceeded)/;

export function isThrottle(name: string): boolean {
  return THROTTLES.test(name);
}

/** The call may or may not have had its effect, or the service failed for a moment. */
function isTransient(error: unknown): boolean {
  if (error instanceof IncompleteAnswerError) return true;
  if (!(error instanceof Error)) return false;
  const { $metadata: metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown };
  const status = metadata?.httpStatusCode;
  // Only the status of a refusal counts: its body may set any member of the error, even `code`.
  if (status !== undefined && status >= 400) return isRetryable(status);
  if (connectionError(error)?.isFinal) return false;
  return error.name === 'TimeoutError' || error.name === 'InternalServerError' || typeof code === 'string';
}

/** @returns nothing when another try would fail, too */
export function awsFailure(error: unknown): Failure | undefined {
  if (error instanceof Error && isThrottle(error.name)) return 'throttled';
  return isTransient(error) ? 'transient' : undefined;
}

export interface AwsCall extends Pick<RetryPolicy, 'budget' | 'before' | 'stop'> {
  /** Makes the error to reject with. */
  readonly failed: (cause: unknown) => Error;
}

/** Retries a call to AWS until it succeeds, fails permanently, or the tries or the time run out. */
export async function callAws<T>(attempt: () => Promise<T>, { failed, ...policy }: AwsCall): Promise<T> {
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

/** Errors of the lease check, and the signal that stops parallel calls. They are not failures of the call, so they are rethrown unchanged. */
function isLeaseError(error: unknown): boolean {
  return error instanceof Error && ['LeaseLostError', 'StateError', 'AbortError'].includes(error.name);
}
