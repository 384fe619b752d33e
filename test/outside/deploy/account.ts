/**
 * An account of AWS on this machine: the emulator, the API of an organization, the CDK and the
 * operator's command line.
 */
import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type Ended, run } from '../../support/parts/command.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { part } from '../running.ts';
import { type Api, startApi } from './api.ts';
import { ACCOUNT, clientEnvironment, REGION, trustCertificate } from './parts.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const CDK = join(ROOT, 'node_modules', '.bin', 'cdk');
/** A command that takes longer hangs. */
const SECONDS = 300;

export interface Account extends AsyncDisposable {
  readonly api: Api;
  /** The Python of the emulator, which has boto3. */
  readonly python: string;
  /**
   * Environment of every program that works in the account, as the root user unless it has its own
   * keys.
   */
  readonly environment: NodeJS.ProcessEnv;
  /**
   * `cdk bootstrap`, and `cdk deploy` of one connector.
   *
   * @throws AssertionError with the end of its output if it fails
   */
  deploy(options: Options, release?: string): Promise<Deployment>;
  cdk(args: readonly string[], options?: Options, release?: string): Promise<Ended>;
}

/** Options of a connector in cdk.json, beside its addresses. */
export interface Options extends Readonly<Record<string, unknown>> {
  readonly name: string;
}

export interface Deployment {
  readonly name: string;
  readonly stack: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** `connectorctl`, as the operator starts it. */
  ctl(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ended>;
  /**
   * Runs `connectorctl --json`, which must exit with one of these statuses.
   *
   * @returns its document
   */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own document, and each story says what it expects of it
  json(args: readonly string[], statuses?: readonly number[]): Promise<any>;
}

/** An empty account. */
export async function openAccount(): Promise<Account> {
  const { url, folder: installed } = part('ministack');
  await trustCertificate(installed);
  await fetch(`${url}/_ministack/reset`, { method: 'POST' });
  await using made = new AsyncDisposableStack();
  const { path: folder } = made.use(await temporaryFolder('deploy-'));
  const api = made.use(await startApi(installed));
  const environment = {
    ...foreign(process.env),
    ...clientEnvironment({ url, folder: installed }),
    // Neither the configuration of this machine's user nor its cache.
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_HOME: folder,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CDK_DISABLE_VERSION_CHECK: '1',
    NO_COLOR: '1',
    CI: '1',
  };
  // The clients of this thread take endpoint and keys from its environment.
  Object.assign(process.env, environment);
  const cdk: Account['cdk'] = (args, options, release = ROOT) => {
    const { baseUrl, authUrl } = api;
    const connectors = JSON.stringify([{ baseUrl, authUrl, dnsBlocksPath: '/v1/dns-blocks', ...options }]);
    const common = ['--no-notices', '--output', join(folder, 'cdk.out'), '--context', `connectors=${connectors}`];
    return run(CDK, [...args, ...common], SECONDS, { folder: release, environment });
  };
  const owned = made.move();
  return {
    api,
    python: join(installed, 'bin', 'python'),
    environment,
    cdk,
    async deploy(options, release = ROOT) {
      succeeded(await cdk(['bootstrap', `aws://${ACCOUNT}/${REGION}`], options, release));
      const stack = `SecurityDataConnector-${options.name}`;
      succeeded(await cdk(['deploy', stack, '--require-approval', 'never'], options, release));
      return describeDeployment(options.name, stack, environment);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Environment of the machine, without variables of AWS and the CDK. */
function foreign(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(AWS|CDK)_/.test(name)));
}

export function succeeded({ status, stdout, stderr }: Ended): void {
  assert.equal(status, 0, `ended with ${status}:\n${(stdout + stderr).slice(-3000)}`);
}

/** The connector of a stack, whoever deployed it. */
export async function describeDeployment(
  name: string,
  stack: string,
  environment: NodeJS.ProcessEnv,
): Promise<Deployment> {
  const cloudFormation = new CloudFormationClient();
  const { Stacks: [found] = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }));
  const outputs = Object.fromEntries(found!.Outputs!.map(each => [each.OutputKey!, each.OutputValue!]));
  const ctl: Deployment['ctl'] = (args, more = {}) =>
    run(process.execPath, ['bin/connectorctl.mjs', ...args, '--connector', name], SECONDS, {
      environment: { ...environment, ...more },
    });
  return {
    name,
    stack,
    outputs,
    ctl,
    async json(args, statuses = [0]) {
      const ended = await ctl([...args, '--json']);
      const expected = statuses.includes(ended.status as number);
      assert(expected, `connectorctl ${args.join(' ')} ended with ${ended.status}:\n${ended.stdout}${ended.stderr}`);
      return JSON.parse(ended.stdout);
    },
  };
}
