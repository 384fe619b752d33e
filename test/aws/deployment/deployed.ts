import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from '../../../local/deployment/template.ts';
import { startAws } from '../endpoints.ts';
import type { Call } from '../wire.ts';
import { type DeploymentOptions, type LocalDeployment, startDeployment } from './deployment.ts';

export interface Deployed extends LocalDeployment {
  readonly calls: Call[];
}

export const ADDRESSES = { API_BASE_URL: 'http://127.0.0.1:1/api', AUTH_URL: 'http://127.0.0.1:1/auth' };

/** A deployment over endpoints of its own, both gone afterwards. */
export async function deployed(template: Template, options: Partial<DeploymentOptions> = {}): Promise<Deployed> {
  const directory = await mkdtemp(join(tmpdir(), 'local-deployment-'));
  const names = { bucket: 'acme-data', deadLetterBucket: 'acme-data' };
  const calls: Call[] = [];
  const aws = await startAws({ directory, names, secret: '{}', onCall: call => calls.push(call) });
  const invoke = async (payload: unknown) => ({ got: payload });
  const each = await startDeployment({ template, aws, invoke, variables: ADDRESSES, ...options });
  return {
    ...each,
    calls,
    async [Symbol.asyncDispose]() {
      await each[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

/** The SDK client of a process with only the deployment's environment. */
export function client<C>({ environment }: LocalDeployment, service: string, Client: new (config: object) => C): C {
  return new Client({
    endpoint: environment[`AWS_ENDPOINT_URL_${service}`],
    region: environment['AWS_REGION'],
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
}
