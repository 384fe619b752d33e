import { type Clients, createContainerTokenSource } from '../../../lambda/compose.ts';
import { type ContainerParts, type InvocationResult, invoke } from '../../../lambda/invocation.ts';
import type { RunMeasurements } from '../../../lambda/metrics.ts';
import type { Log } from '../../../lambda/ports.ts';
import { readSettings } from '../../../lambda/settings.ts';
import { sha256 } from '../../../lambda/system.ts';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { startSimulatorServer } from '../../../local/api-simulator/server.ts';
import { type ApiSimulator, createSimulator, type SimulatorOptions } from '../../../local/api-simulator/simulator.ts';
import type { AwsOptions } from '../../../local/aws/local-aws.ts';
import { type AwsScene, awsScene } from './aws-scene.ts';
import { type TamperedApi, tamperedApi } from './tampered-api.ts';

export interface Connector extends AwsScene {
  readonly simulator: ApiSimulator;
  readonly api: TamperedApi;
  /** The whole environment of the function, with that of the SDK. */
  readonly environment: Readonly<Record<string, string>>;
  /** One invocation of the function, in a warm container unless `cold`. */
  run(payload?: unknown, options?: RunOptions): Promise<InvocationResult>;
  /** Times at which requests to the API left, in milliseconds of the function's clock. */
  readonly left: readonly number[];
  /** A deployment that changes variables of the function. */
  deploy(changed: Readonly<Record<string, string>>): void;
  /** Lines delivered so far, sorted. */
  lines(): Promise<string[]>;
  /** The reports to the telemetry, one for each run. */
  readonly reports: RunMeasurements[];
  /** Messages logged so far, with their fields and errors. */
  readonly logged: unknown[][];
}

export interface RunOptions {
  /** Milliseconds until Lambda's time-out. */
  readonly time?: number;
  /** Leaves out the context that Lambda gives. */
  readonly bare?: boolean;
  /** A container that has served nothing yet. */
  readonly cold?: boolean;
}

export interface ConnectorOptions {
  readonly simulator?: Partial<SimulatorOptions>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly aws?: Partial<AwsOptions>;
}

export const CANARY_SECRET = 'canary-secret';

/**
 * The API simulator, the AWS endpoints, and the function's own composition between them, on a
 * stepped clock.
 */
export async function connector(options: ConnectorOptions = {}): Promise<Connector> {
  const aws = await awsScene({ ...options.aws, secret: undefined });
  const simulator = createSimulator({
    clock: Date.now,
    random: createRandom(42),
    // An answer that takes its time takes the function's time.
    sleep: async milliseconds => aws.clock.advance(milliseconds),
    ...options.simulator,
  });
  const server = await startSimulatorServer({ simulator });
  const api = await tamperedApi(simulator);
  const { clientId: client_id, clientSecret: client_secret } = simulator.account;
  aws.aws.secret.put(JSON.stringify({ client_id, client_secret }));
  const environment = {
    ...aws.aws.environment,
    API_BASE_URL: api.url,
    AUTH_URL: server.authUrl,
    CONNECTOR_NAME: 'acme',
    DNS_BLOCKS_PATH: simulator.settings.dnsBlocksPath,
    ...options.environment,
  };
  const logged: unknown[][] = [];
  const left: number[] = [];
  const clients = clientsOf(aws, logged, url => {
    if (url.startsWith(`${api.url}/v1/`)) left.push(aws.clock.now());
  });
  const reports: RunMeasurements[] = [];
  let deployed = environment;
  const container = () => compose(deployed, clients, reports);
  let warm = container();
  return {
    ...aws,
    simulator,
    api,
    environment,
    logged,
    reports,
    left,
    run(payload = {}, { time = 900_000, cold = false, bare = false } = {}) {
      if (cold) warm = container();
      const end = aws.clock.now() + time;
      return invoke(payload, bare ? undefined : { getRemainingTimeInMillis: () => end - aws.clock.now() }, warm);
    },
    deploy(changed) {
      deployed = { ...deployed, ...changed };
      warm = container();
    },
    lines: async () => (await aws.aws.delivered()).sort(),
    async [Symbol.asyncDispose]() {
      await Promise.all([server.close(), api[Symbol.asyncDispose]()]);
      await aws[Symbol.asyncDispose]();
    },
  };
}

function compose(
  environment: Readonly<Record<string, string>>,
  clients: Clients,
  reports: RunMeasurements[],
): ContainerParts {
  const settings = readSettings(environment);
  const telemetry = { report: (facts: RunMeasurements) => void reports.push(facts) };
  return { settings, clients, tokens: createContainerTokenSource(settings, clients), telemetry, memory: () => 0 };
}

function clientsOf(aws: AwsScene, logged: unknown[][], leaves: (url: string) => void): Clients {
  const note = (...words: unknown[]): void => void logged.push(words);
  const log: Log = { info: note, warn: note, error: note };
  const { clients, clock } = aws;
  const watched: Clients['fetch'] = (url, init) => {
    leaves(String(url));
    return fetch(url, init);
  };
  return { ...clients, fetch: watched, clock, random: () => 0, hash: sha256, log };
}

/** A connector whose secret and rows hold the word "canary". */
export async function canaries(): Promise<Connector> {
  const each = await connector({ simulator: { clientSecret: CANARY_SECRET } });
  each.simulator.put('assets', { id: 'canary-id', text: 'canary-row' });
  each.simulator.put('threats', { id: 'canary-threat', asset_id: 'canary-id', text: 'canary-row' });
  each.simulator.put('dns-blocks', { id: 'canary-dns', text: 'canary-row' });
  return each;
}
