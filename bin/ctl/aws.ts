/**
 * The operator's AWS clients, each created on first use. Region, profile and endpoints follow the
 * SDK's rules unless options set them.
 */
import { createRequire } from 'node:module';
import type { Sender } from '../../lambda/aws.ts';
import { type ProxySettings, proxyAgent, withProxyErrors } from '../../lambda/proxy.ts';

/**
 * The time-out is longer than the 15 minutes of an invocation, because no byte of the answer
 * arrives before the invocation ends.
 */
const INVOCATION_TIMEOUT_MILLISECONDS = 16 * 60_000;
const CONNECTION_TIMEOUT_MILLISECONDS = 10_000;

/**
 * Each client is loaded on first use, because loading all clients takes longer than most commands
 * run.
 */
const load = createRequire(import.meta.filename);
const SDK = {
  cloudFormation: (): typeof import('@aws-sdk/client-cloudformation') => load('@aws-sdk/client-cloudformation'),
  cloudWatch: (): typeof import('@aws-sdk/client-cloudwatch') => load('@aws-sdk/client-cloudwatch'),
  dynamodb: (): typeof import('@aws-sdk/client-dynamodb') => load('@aws-sdk/client-dynamodb'),
  firehose: (): typeof import('@aws-sdk/client-firehose') => load('@aws-sdk/client-firehose'),
  lambda: (): typeof import('@aws-sdk/client-lambda') => load('@aws-sdk/client-lambda'),
  logs: (): typeof import('@aws-sdk/client-cloudwatch-logs') => load('@aws-sdk/client-cloudwatch-logs'),
  s3: (): typeof import('@aws-sdk/client-s3') => load('@aws-sdk/client-s3'),
  scheduler: (): typeof import('@aws-sdk/client-scheduler') => load('@aws-sdk/client-scheduler'),
  secrets: (): typeof import('@aws-sdk/client-secrets-manager') => load('@aws-sdk/client-secrets-manager'),
  sns: (): typeof import('@aws-sdk/client-sns') => load('@aws-sdk/client-sns'),
  sqs: (): typeof import('@aws-sdk/client-sqs') => load('@aws-sdk/client-sqs'),
  sts: (): typeof import('@aws-sdk/client-sts') => load('@aws-sdk/client-sts'),
};

export type Aws = ReturnType<typeof createAws>;

export interface RegionAndProfile {
  readonly region?: string;
  readonly profile?: string;
}

/** Changes a client before its first use, for example to answer its commands in place of AWS. */
export type PrepareClient = (client: Sender) => void;

/** @param signal signal that aborts reads */
export function createAws(
  { region, profile }: RegionAndProfile,
  signal: AbortSignal,
  prepareClient?: PrepareClient,
  proxy?: ProxySettings,
) {
  const requestHandler = proxyAgent(proxy);
  const options = { ...(proxy && { requestHandler }), ...(region && { region }), ...(profile && { profile }) };
  const made = <T extends Sender>(make: () => T) =>
    createOnce(() => {
      const client = make();
      prepareClient?.(client);
      interruptible(client, signal);
      client.send = withProxyErrors(client.send.bind(client), proxy);
      return client;
    });
  return {
    cloudFormation: made(() => new (SDK.cloudFormation().CloudFormationClient)(options)),
    cloudWatch: made(() => new (SDK.cloudWatch().CloudWatchClient)(options)),
    /** Client that retries by itself, for commands that do not use the connector's retry loop. */
    retryingDynamodb: made(() => new (SDK.dynamodb().DynamoDBClient)(options)),
    /** Client that tries once, because the connector's adapters have their own retry budget. */
    dynamodb: made(() => new (SDK.dynamodb().DynamoDBClient)({ ...options, maxAttempts: 1 })),
    firehose: made(() => new (SDK.firehose().FirehoseClient)(options)),
    lambda: made(() => new (SDK.lambda().LambdaClient)(options)),
    /** Client that tries once, because a second invocation would start a second run. */
    invoker: made(
      () =>
        new (SDK.lambda().LambdaClient)({
          ...options,
          maxAttempts: 1,
          requestHandler: {
            ...requestHandler,
            socketTimeout: INVOCATION_TIMEOUT_MILLISECONDS,
            connectionTimeout: CONNECTION_TIMEOUT_MILLISECONDS,
          },
        }),
    ),
    logs: made(() => new (SDK.logs().CloudWatchLogsClient)(options)),
    s3: made(() => new (SDK.s3().S3Client)({ forcePathStyle: hasOwnS3(), ...options })),
    scheduler: made(() => new (SDK.scheduler().SchedulerClient)(options)),
    secrets: made(() => new (SDK.secrets().SecretsManagerClient)(options)),
    sns: made(() => new (SDK.sns().SNSClient)(options)),
    sqs: made(() => new (SDK.sqs().SQSClient)(options)),
    sts: made(() => new (SDK.sts().STSClient)(options)),
  };
}

/**
 * Whether S3 has an endpoint of its own. Such an endpoint of a local S3 does not support a host
 * name per bucket.
 */
function hasOwnS3(): boolean {
  return Boolean(process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL']);
}

/** Names of commands that only read. */
const READS = /^(BatchGet|Describe|Filter|Get|Head|List|Query|Receive|Scan)/;

/**
 * Aborts reads at Ctrl-C. Writes run to their end, because an aborted write may or may not have
 * happened.
 *
 * Each read has its own signal, because the SDK adds a listener for each request. `status` makes
 * more than ten requests at the same time, and Node 20 would report so many listeners on one signal
 * as a leak.
 */
function interruptible(client: Sender, signal: AbortSignal): void {
  const send = client.send.bind(client);
  client.send = (command: object, options: object = {}) => {
    const cut = READS.test(command.constructor.name) ? { abortSignal: AbortSignal.any([signal]) } : {};
    return (send as (command: object, options: object) => Promise<unknown>)(command, { ...cut, ...options });
  };
}

/** Collects the items of all pages of an answer. */
export async function collectItems<Page, T>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly T[] | undefined,
): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...(itemsOf(page) ?? []));
  return items;
}

/** Creates a value on the first call and returns the same value afterwards. */
export function createOnce<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
