/** What every command works with: where the deployment is, how to reach it, and how to tell people and machines. */

import type { Clock } from '../../lambda/ports.ts';
import { systemClock } from '../../lambda/system.ts';
import { type Aws, createAws } from './aws.ts';
import { type Deployment, findDeployment } from './deployment/find-deployment.ts';
import type { FunctionEnvironment } from './deployment/function-environment.ts';
import { type DeployedFunction, readFunction } from './deployment/read-function.ts';
import { once } from './once.ts';
import { createReport, type Report } from './report/report.ts';

/** Options that every command takes. */
export interface GlobalOptions {
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
  /** The stack, looked up once. @throws RefusedError, AwsCallError */
  deployment(): Promise<Deployment>;
  /** Settings and state of the function, looked up once. @throws AwsCallError */
  deployedFunction(): Promise<DeployedFunction>;
  /** What the deployed function is told, by the same look. @throws AwsCallError */
  environment(): Promise<FunctionEnvironment>;
  /** The same, with nothing looked up yet. */
  anew(): Context;
}

export function createContext(options: GlobalOptions, signal: AbortSignal): Context {
  return contextOf(options, signal, createAws(options, signal));
}

function contextOf(options: GlobalOptions, signal: AbortSignal, aws: Aws): Context {
  const deployment = once(() => findDeployment(aws, options.stack));
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
    anew: () => contextOf(options, signal, aws),
  };
}
