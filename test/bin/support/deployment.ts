import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { type LocalDeployment, startDeployment } from '../../../local/deployment/deployment.ts';
import { madeName } from '../../../local/deployment/physical-names.ts';
import { onlyResource } from '../../../local/deployment/template.ts';
import type { PlatformOptions } from '../../../local/platform/platform.ts';
import { type Connector, connector } from '../../lambda/support/connector.ts';
import { synthesize } from '../../lib/synth.ts';

const STACK = 'SecurityDataConnector-acme';

/** Synthesized before any test's time runs. */
const TEMPLATE = synthesize({ dnsBlocksPath: '/v1/dns-blocks' });

export const FUNCTION = madeName(STACK, onlyResource(TEMPLATE, 'AWS::Lambda::Function')[0]);

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A deployed stack and the platform, and an operator's shell beside them. */
export interface Deployment extends AsyncDisposable {
  readonly connector: Connector;
  readonly stack: LocalDeployment;
  /** `connectorctl` in a process without a terminal. */
  ctl(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ended>;
}

const BUCKET = 'security-data';

export async function deployment(platform: Partial<PlatformOptions> = {}): Promise<Deployment> {
  const each = await connector({ platform, aws: { names: { bucket: BUCKET, deadLetterBucket: BUCKET } } });
  const { API_BASE_URL = '', AUTH_URL = '' } = each.environment;
  const stack = await startDeployment({
    template: TEMPLATE,
    stackName: STACK,
    aws: each.aws,
    invoke: payload => each.run(payload),
    variables: { API_BASE_URL, AUTH_URL },
  });
  return {
    connector: each,
    stack,
    ctl: (args, more = {}) => run(args, { ...stack.environment, ...more }),
    [Symbol.asyncDispose]: () => each[Symbol.asyncDispose](),
  };
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, ['bin/connectorctl.ts', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const status = new Promise<number | null>(resolve => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, stdout, stderr };
}
