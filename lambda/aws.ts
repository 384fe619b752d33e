/**
 * The SDK's clients, created once per container, and the classification of their failures. Their own retries are off (`maxAttempts: 1`),
 * because only core/retry.ts knows the time budget, the lease and the clock of the simulation.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { FirehoseClient, type PutRecordBatchInput } from '@aws-sdk/client-firehose';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import { AwsJson1_0Protocol, AwsJson1_1Protocol, type JsonCodec2 } from '@aws-sdk/core/protocols';
import { connectionError } from './core/connection-error.ts';
import { IncompleteAnswerError } from './core/errors.ts';
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
import { namingProxy, type ProxySettings, proxyAgent } from './proxy.ts';

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
    dynamodb: sender(refusingIncomplete(new DynamoDBClient({ ...config, protocol: DynamoDBProtocol }))),
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

/** Members of every answer to an action, also of one that found or left nothing. `PutItem` and `UpdateItem` promise a JSON object and no more. */
const PROMISED: Readonly<Record<string, readonly string[]>> = {
  BatchGetItem: ['Responses', 'UnprocessedKeys'],
  BatchWriteItem: ['UnprocessedItems'],
  Query: ['Items'],
  Scan: ['Items'],
};

/**
 * The SDK takes every answer with the status 200 for a success, and makes an output without members of an empty body, which a proxy may send. A
 * write that never reached the table would count as done, and an item that the answer lacks as one that does not exist.
 */
function refusingIncomplete(client: DynamoDBClient): DynamoDBClient {
  const { config, middlewareStack } = client;
  middlewareStack.add(
    (next, { commandName }) =>
      async call => {
        const result = await next(call);
        const response = result.response as { readonly statusCode: number; body: Uint8Array };
        response.body = await config.streamCollector(response.body);
        if (response.statusCode < 300 && response.body.length === 0)
          throw new IncompleteAnswerError('DynamoDB', actionOf(commandName), 'without a body');
        return result;
      },
    // The SDK parses the body after it.
    { step: 'deserialize', priority: 'low' },
  );
  middlewareStack.add(
    (next, { commandName }) =>
      async call => {
        const result = await next(call);
        const output = result.output as object as Readonly<Record<string, unknown>>;
        const action = actionOf(commandName);
        const missing = PROMISED[action]?.find(member => output[member] === undefined);
        if (missing !== undefined) throw new IncompleteAnswerError('DynamoDB', action, `without ${missing}`);
        return result;
      },
    { step: 'initialize' },
  );
  return client;
}

function actionOf(commandName = ''): string {
  return commandName.replace(/Command$/, '');
}

/**
 * Without it the SDK has a logger whose `info` does nothing, and copies the input and output of every call for it: some 15 % of the CPU
 * of a walk. Where `info` is missing it copies nothing.
 */
const QUIET = { trace() {}, debug() {}, warn() {}, error() {} } as unknown as NonNullable<
  SecretsManagerClientConfig['logger']
>;

/**
 * Writes the bulk of what is sent, batches of items and records of bytes, in one step each. The SDK would walk them by their schema,
 * character by character, for some 8 % of the CPU of a walk. Every other input, and every answer, is left to it.
 *
 * JSON.stringify serves for batches because their items hold no bytes (`TextItem`).
 */
class DynamoDBProtocol extends AwsJson1_0Protocol {
  protected override serializer = bulkSerializer(this.getPayloadCodec(), input =>
    'RequestItems' in input ? Buffer.from(JSON.stringify(input)) : undefined,
  );
}

class FirehoseProtocol extends AwsJson1_1Protocol {
  protected override serializer = bulkSerializer(this.getPayloadCodec(), input =>
    'Records' in input ? recordsBody(input as PutRecordBatchInput) : undefined,
  );
}

/** Some 700 kB a page: as one text it would be copied twice more. All of it is ASCII. */
function recordsBody({ DeliveryStreamName, Records }: PutRecordBatchInput): Buffer {
  const texts = [`{"DeliveryStreamName":${JSON.stringify(DeliveryStreamName)},"Records":[`];
  for (const { Data } of Records!) {
    const bytes = Buffer.from(Data!.buffer, Data!.byteOffset, Data!.byteLength);
    texts.push(texts.length === 1 ? '{"Data":"' : ',{"Data":"', bytes.toString('base64'), '"}');
  }
  texts.push(']}');
  const body = Buffer.allocUnsafeSlow(texts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const text of texts) at += body.write(text, at, 'latin1');
  return body;
}

type Serializer = ReturnType<JsonCodec2['createSerializer']>;

/** @param bulk the whole body of an input that it knows */
function bulkSerializer(codec: object, bulk: (input: object) => Buffer | undefined): Serializer {
  const sdk = (codec as JsonCodec2).createSerializer();
  let body: Buffer | undefined;
  return {
    setSerdeContext: context => sdk.setSerdeContext(context),
    write(schema, input) {
      body = bulk(input as object);
      if (!body) sdk.write(schema, input);
    },
    flush() {
      const written = body ?? sdk.flush();
      body = undefined;
      return written;
    },
  };
}

/** The only method of an SDK client that the adapters use. */
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

/** The service is throttling: retried until the time budget ends. */
function isThrottle(error: unknown): boolean {
  return error instanceof Error && THROTTLES.has(error.name);
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

/** Classifies a failed call to AWS for the retry loop. */
export function awsFailure(error: unknown): Failure {
  if (error instanceof TryAgain) return failureOf(error);
  if (isThrottle(error)) return 'throttled';
  return isTransient(error) ? 'transient' : 'final';
}

/** Retries a call to AWS until it succeeds, fails permanently, or the tries or the time run out. Then rejects with the last error. */
export function callAws<T>(
  attempt: () => Promise<T>,
  budget: RetryBudget,
  policy: Pick<RetryPolicy, 'before' | 'stop' | 'giveUp' | 'onWait'> = {},
): Promise<T> {
  return retry(attempt, { budget, classify: awsFailure, ...policy });
}

/** Errors of the lease check, and the signal that stops parallel calls. They are not failures of the call, so they are rethrown unchanged. */
export function isLeaseError(error: unknown): boolean {
  return error instanceof Error && ['LeaseLostError', 'StateError', 'AbortError'].includes(error.name);
}
