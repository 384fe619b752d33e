/** The operator's AWS clients, each created on first use. Region, profile and endpoints follow the SDK's rules unless options set them. */
import { createRequire } from 'node:module';
import type { Sender } from '../../lambda/aws.ts';
import { namingProxy, type ProxySettings, proxyAgent } from '../../lambda/proxy.ts';

/** Longer than the 15 minutes of an invocation: no byte arrives before it ends. */
const INVOCATION_TIMEOUT_MILLISECONDS = 16 * 60_000;
const CONNECTION_TIMEOUT_MILLISECONDS = 10_000;

/** Loaded on first use: loading all of them takes longer than most commands run. */
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

export interface AwsPlace {
  readonly region?: string;
  readonly profile?: string;
}

/** Options of the client of a service. */
export type ClientOptions = (service: keyof typeof SDK) => object;

/** @param signal aborts reads */
export function createAws(
  { region, profile }: AwsPlace,
  signal: AbortSignal,
  clientOptions?: ClientOptions,
  proxy?: ProxySettings,
) {
  const requestHandler = proxyAgent(proxy);
  const place = (service: keyof typeof SDK) => ({
    ...(proxy && { requestHandler }),
    ...clientOptions?.(service),
    ...(region && { region }),
    ...(profile && { profile }),
  });
  const made = <T extends Sender>(make: () => T) =>
    once(() => {
      const client = interruptible(make(), signal);
      client.send = namingProxy(client.send.bind(client), proxy);
      return client;
    });
  return {
    cloudFormation: made(() => new (SDK.cloudFormation().CloudFormationClient)(place('cloudFormation'))),
    cloudWatch: made(() => new (SDK.cloudWatch().CloudWatchClient)(place('cloudWatch'))),
    /** Retries by itself, for commands without a retry loop of the connector. */
    retryingDynamodb: made(() => new (SDK.dynamodb().DynamoDBClient)(place('dynamodb'))),
    /** Tries once: the connector's adapters have their own retry budget. */
    dynamodb: made(() => new (SDK.dynamodb().DynamoDBClient)({ ...place('dynamodb'), maxAttempts: 1 })),
    firehose: made(() => new (SDK.firehose().FirehoseClient)(place('firehose'))),
    lambda: made(() => new (SDK.lambda().LambdaClient)(place('lambda'))),
    /** Tries once: a second invocation would start a second run. */
    invoker: made(
      () =>
        new (SDK.lambda().LambdaClient)({
          ...place('lambda'),
          maxAttempts: 1,
          requestHandler: {
            ...requestHandler,
            socketTimeout: INVOCATION_TIMEOUT_MILLISECONDS,
            connectionTimeout: CONNECTION_TIMEOUT_MILLISECONDS,
          },
        }),
    ),
    logs: made(() => new (SDK.logs().CloudWatchLogsClient)(place('logs'))),
    s3: made(() => new (SDK.s3().S3Client)({ forcePathStyle: hasOwnS3(), ...place('s3') })),
    scheduler: made(() => new (SDK.scheduler().SchedulerClient)(place('scheduler'))),
    secrets: made(() => new (SDK.secrets().SecretsManagerClient)(place('secrets'))),
    sns: made(() => new (SDK.sns().SNSClient)(place('sns'))),
    sqs: made(() => new (SDK.sqs().SQSClient)(place('sqs'))),
    sts: made(() => new (SDK.sts().STSClient)(place('sts'))),
  };
}

/** Local S3 endpoints do not support per-bucket host names. */
function hasOwnS3(): boolean {
  return Boolean(process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL']);
}

/** Commands that only read. */
const READS = /^(BatchGet|Describe|Filter|Get|Head|List|Query|Receive|Scan)/;

/**
 * Aborts reads at Ctrl-C. Writes run to their end, because an aborted write may or may not have happened.
 *
 * Each read has a signal of its own: the SDK adds a listener for each request, and `status` makes more than ten at the same time, which
 * Node 20 reports as a leak of listeners.
 */
function interruptible<T extends Sender>(client: T, signal: AbortSignal): T {
  const send = client.send.bind(client);
  client.send = (command: object, options: object = {}) => {
    const cut = READS.test(command.constructor.name) ? { abortSignal: AbortSignal.any([signal]) } : {};
    return (send as (command: object, options: object) => Promise<unknown>)(command, { ...cut, ...options });
  };
  return client;
}

/** Collects the items of all pages of an answer. */
export async function collectPages<Page, T>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly T[] | undefined,
): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...(itemsOf(page) ?? []));
  return items;
}

/** Creates a value on the first call and returns the same value afterwards. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
