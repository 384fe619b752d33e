import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { text } from 'node:stream/consumers';
import type { PlatformOptions } from '../../../local/platform/platform.ts';
import { type Connector, connector } from '../../lambda/support/connector.ts';
import { type HttpStand, httpStand } from '../../lambda/support/http-stand.ts';
import { lambdaAct } from './lambda-act.ts';
import { secretsAct } from './secrets-act.ts';

export const FUNCTION = 'acme-poller';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A deployed function, its table, its secret and the platform, and an operator's shell beside them. */
export interface Deployment extends AsyncDisposable {
  readonly connector: Connector;
  /** What Lambda was asked. */
  readonly lambda: HttpStand;
  readonly environment: Readonly<Record<string, string>>;
  /** `connectorctl` in a process without a terminal. */
  ctl(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ended>;
}

export async function deployment(platform: Partial<PlatformOptions> = {}): Promise<Deployment> {
  const each = await connector({ platform });
  const lambda = await httpStand(lambdaAct(FUNCTION, each));
  const secrets = await httpStand(secretsAct(each.aws));
  const environment = {
    ...each.aws.environment,
    AWS_ENDPOINT_URL_LAMBDA: lambda.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  };
  return {
    connector: each,
    lambda,
    environment,
    ctl: (args, more = {}) => run(args, { ...environment, ...more }),
    async [Symbol.asyncDispose]() {
      await Promise.all([lambda[Symbol.asyncDispose](), secrets[Symbol.asyncDispose]()]);
      await each[Symbol.asyncDispose]();
    },
  };
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, ['bin/connectorctl.ts', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const status = new Promise<number | null>(resolve => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, stdout, stderr };
}
