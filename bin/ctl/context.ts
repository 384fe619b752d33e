/** The context of every command: the deployment, the AWS clients and the report. */

import type { Clock } from '../../lambda/ports.ts';
import { type ProxySettings, withProxyErrors } from '../../lambda/proxy.ts';
import type { Fetch } from '../../lambda/source/http.ts';
import { systemClock } from '../../lambda/system.ts';
import { type Aws, createAws, createOnce, type PrepareClient } from './aws.ts';
import { type Deployment, findDeployment, readFunction } from './deployment.ts';
import { createReporter, type Shell } from './report.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly connector?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly json?: true;
}

/** Input of a command in addition to its arguments. */
export interface Surroundings {
  readonly shell: Shell;
  /** Signal that is aborted at Ctrl-C. */
  readonly signal: AbortSignal;
  /** @default the clients reach AWS */
  readonly prepareClient?: PrepareClient;
  /** @default the clock of this machine */
  readonly clock?: Clock;
  /** Proxy of this machine, which `fetch` of this process already uses. */
  readonly proxy?: ProxySettings | undefined;
}

export type Context = ReturnType<typeof createContext>;

export function createContext(options: GlobalOptions, surroundings: Surroundings) {
  const { shell, signal, prepareClient, proxy, clock = systemClock } = surroundings;
  const aws = createAws(options, signal, prepareClient, proxy);
  /** Sends requests to the API. If the proxy cannot be reached, the error names the proxy. */
  const fetchApi: Fetch = withProxyErrors((url, init) => fetch(url, init), proxy);
  return {
    options,
    shell,
    aws,
    clock,
    report: createReporter(shell, options.json === true),
    /** Signal that is aborted at Ctrl-C. */
    signal,
    fetch: fetchApi,
    ...connectorContext(aws, () => findDeployment(aws, { connector: options.connector, stack: options.stack })),
  };
}

/** The parts of a context that belong to one connector. Each part is read once. */
export function connectorContext(aws: Aws, find: () => Promise<Deployment>) {
  const deployment = createOnce(find);
  const deployedFunction = createOnce(async () => readFunction(aws, (await deployment()).functionName));
  return {
    /**
     * The connector, as the outputs of its stack describe it.
     *
     * @throws RefusedError, AwsCallError
     */
    deployment,
    /** Settings and state of the function. @throws AwsCallError */
    deployedFunction,
    /** The function's environment variables. They contain no secret. @throws AwsCallError */
    environment: async () => (await deployedFunction()).Environment?.Variables ?? {},
  };
}
