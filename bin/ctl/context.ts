/** The context of every command: the deployment, the AWS clients and the report. */

import type { Clock } from '../../lambda/ports.ts';
import { namingProxy, type ProxySettings } from '../../lambda/proxy.ts';
import type { Fetch } from '../../lambda/source/http.ts';
import { systemClock } from '../../lambda/system.ts';
import { type Aws, type ClientOptions, createAws, once } from './aws.ts';
import {
  type DeployedFunction,
  type Deployment,
  type FunctionEnvironment,
  findDeployment,
  listConnectors,
  readFunction,
} from './deployment.ts';
import { createReport, type Report, type Shell } from './report.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly connector?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly json?: true;
}

/** Input of a command besides its arguments. */
export interface Surroundings {
  readonly shell: Shell;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Settings of the AWS clients that replace those of the environment and configuration files. */
  readonly clientOptions?: ClientOptions;
  /** @default the machine's */
  readonly clock?: Clock;
  /** The proxy of this machine, which fetch of this process uses already. */
  readonly proxy?: ProxySettings | undefined;
}

export interface Context {
  readonly options: GlobalOptions;
  readonly shell: Shell;
  readonly aws: Aws;
  readonly clock: Clock;
  readonly report: Report;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Connects to the API. */
  readonly fetch: Fetch;
  /** The stack, read once. @throws RefusedError, AwsCallError */
  deployment(): Promise<Deployment>;
  /** Settings and state of the function, read once. @throws AwsCallError */
  deployedFunction(): Promise<DeployedFunction>;
  /** The function's environment variables, from the same read. @throws AwsCallError */
  environment(): Promise<FunctionEnvironment>;
  /** Every connector of the account and region, each with a context of its own. @throws AwsCallError */
  connectors(): Promise<ConnectorContext[]>;
}

export interface ConnectorContext {
  readonly connector: string;
  readonly context: Context;
}

export function createContext(options: GlobalOptions, surroundings: Surroundings): Context {
  const { signal, clientOptions, proxy } = surroundings;
  return contextOf(options, surroundings, createAws(options, signal, clientOptions, proxy));
}

function contextOf(
  options: GlobalOptions,
  surroundings: Surroundings,
  aws: Aws,
  find = () => findDeployment(aws, { connector: options.connector, stack: options.stack }),
): Context {
  const { shell, signal, clock = systemClock } = surroundings;
  const deployment = once(find);
  const deployedFunction = once(async () => readFunction(aws, (await deployment()).functionName));
  return {
    options,
    shell,
    aws,
    clock,
    report: createReport(shell, options.json === true),
    signal,
    fetch: namingProxy((url, init) => fetch(url, init), surroundings.proxy),
    deployment,
    deployedFunction,
    environment: async () => (await deployedFunction()).environment,
    async connectors() {
      const listed = await listConnectors(aws);
      return listed.map(each => ({
        connector: each.connector,
        context: contextOf(options, surroundings, aws, each.deployment),
      }));
    },
  };
}
