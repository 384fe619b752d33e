import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AwsOptions, type Endpoints, startAws } from './endpoints.ts';
import type { Call } from './wire.ts';

export interface Started<A extends Endpoints = Endpoints> extends AsyncDisposable {
  readonly aws: A;
  readonly directory: string;
  /** Every recorded call, in order. */
  readonly calls: Call[];
}

/** The endpoints in a folder of their own, which is gone afterwards unless it was given. */
export async function started(options: Partial<AwsOptions> = {}): Promise<Started> {
  return startedBy(startAws, options);
}

/** The same for endpoints that are started in another way. */
export async function startedBy<A extends Endpoints>(
  start: (options: AwsOptions) => Promise<A>,
  options: Partial<AwsOptions>,
): Promise<Started<A>> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'local-aws-')));
  const calls: Call[] = [];
  const aws = await start({ secret: '{}', onCall: call => calls.push(call), ...options, directory });
  return {
    aws,
    directory,
    calls,
    async [Symbol.asyncDispose]() {
      await aws.close();
      if (options.directory === undefined) await rm(directory, { recursive: true });
    },
  };
}

/** Configuration of an SDK client; without retries, so that a test sees each answer. */
export function clientConfig(aws: Endpoints, service: 'DYNAMODB' | 'FIREHOSE' | 'S3' | 'SECRETS_MANAGER') {
  return {
    endpoint: aws.environment[`AWS_ENDPOINT_URL_${service}`]!,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  };
}
