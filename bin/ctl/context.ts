/** What every command works with: the deployment, the AWS clients and the report. */

import type { Clock } from '../../lambda/ports.ts';
import { systemClock } from '../../lambda/system.ts';
import { type Aws, createAws, once } from './aws.ts';
import {
  type DeployedFunction,
  type Deployment,
  type FunctionEnvironment,
  findDeployment,
  readFunction,
} from './deployment.ts';
import { createReport, type Report } from './report.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly connector?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly json?: true;
}

export interface Context {
  readonly options: GlobalOptions;
  readonly aws: Aws;
  readonly clock: Clock;
  readonly report: Report;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** The stack, read once. @throws RefusedError, AwsCallError */
  deployment(): Promise<Deployment>;
  /** Settings and state of the function, read once. @throws AwsCallError */
  deployedFunction(): Promise<DeployedFunction>;
  /** The function's environment variables, from the same read. @throws AwsCallError */
  environment(): Promise<FunctionEnvironment>;
  /** A context that reads stack and function again. */
  refreshed(): Context;
}

export function createContext(options: GlobalOptions, signal: AbortSignal): Context {
  return contextOf(options, signal, createAws(options, signal));
}

function contextOf(options: GlobalOptions, signal: AbortSignal, aws: Aws): Context {
  const deployment = once(() => findDeployment(aws, { connector: options.connector, stack: options.stack }));
  const deployedFunction = once(async () => readFunction(aws, (await deployment()).functionName));
  return {
    options,
    aws,
    clock: systemClock,
    report: createReport({ json: options.json === true }),
    signal,
    deployment,
    deployedFunction,
    environment: async () => (await deployedFunction()).environment,
    refreshed: () => contextOf(options, signal, aws),
  };
}
