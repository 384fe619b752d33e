/** One trial: simulator, AWS endpoints and connector, each in its own process; a series of kills; the result. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { leaseKey } from '../../../lambda/store/item.ts';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { EventDatabase } from '../../../local/query/event-database.ts';
import { bundle } from '../../support/function/bundle.ts';
import { check, type Result } from '../../support/promise.ts';
import { receive } from '../../support/siem.ts';
import { truthRows } from '../../support/truth-rows.ts';
import { addTo, COPY_QUERY, type CopyRow, unlikeTruth, type ViewsCopy } from '../../support/views-copy.ts';
import { type Outcome, startConnector } from './connector-process.ts';
import { type Endpoints, startEndpoints } from './endpoints.ts';
import { type SimulatorProcess, startSimulator } from './simulator-process.ts';
import { type Moment, randomMoment } from './trigger.ts';

export interface TrialOptions {
  readonly kills: number;
  /** Seed of the tenant data, its changes and the moments of the kills. What each kill hits depends on the machine. */
  readonly seed: number;
  /** Changes a second. */
  readonly traffic: number;
  readonly onRun?: (tally: FaultTally) => void;
  /** Server that issues the tokens instead of the API simulator. */
  readonly issuer?: { readonly authUrl: string; readonly secret: string };
  /** @default bundled here */
  readonly module?: URL;
}

export interface TrialResult extends Result {
  readonly tally: FaultTally;
  readonly events: number;
  readonly seconds: number;
}

/** Small pages make many calls. With a short lease the next run takes over quickly. */
const SETTINGS = { CONNECTOR_NAME: 'crash-test', PAGE_LIMIT: '25', LEASE_SECONDS: '1' };
const TENANT_DATA = ['--assets', '100', '--threats', '300', '--dns-blocks', '100'];
const API_OPTIONS = ['--tie-size', '3', '--short-pages', '0.1', '--empty-pages', '0.05', '--shuffle-members'];

export async function trial(options: TrialOptions): Promise<TrialResult> {
  const { kills, seed, onRun = () => {}, issuer, module } = options;
  const started = performance.now();
  await using folder = await temporaryFolder();
  await using code = module ? undefined : await bundle();
  await using simulator = await startSimulator(simulatorFlags(options));
  await using endpoints = await startEndpoints(folder.path, issuer?.secret ?? simulator.secret);
  const environment = { ...endpoints.environment, ...SETTINGS, ...apiSettings({ ...simulator, ...issuer }) };
  const tally = await faultInjection({
    kills,
    onRun,
    random: createRandom(seed),
    run: moment => runConnector(module ?? code!.module, environment, endpoints, moment),
    stopTraffic: () => simulator.stopTraffic(),
    epoch: leaseEpochReader(environment),
  });
  const lines = await endpoints.delivered();
  const events = lines.map(line => receive(line, 0));
  const truth = await simulator.truth();
  const result = check({ events, truth, completedEpochs: tally.completedEpochs });
  const delivered = endpoints.deliveredFolder ?? (await written(lines, folder.path));
  const views = await viewsUnlikeTruth(delivered, truthRows(truth));
  return {
    ...result,
    breaches: tally.failures.length > 0 ? tally.failures : [...result.breaches, ...views],
    tally,
    events: events.length,
    seconds: (performance.now() - started) / 1000,
  };
}

function simulatorFlags({ seed, traffic, issuer }: TrialOptions): string[] {
  const trust = issuer ? ['--trusted-issuer', issuer.authUrl] : [];
  return [...TENANT_DATA, ...API_OPTIONS, '--seed', `${seed}`, '--life', `${traffic}`, ...trust];
}

type Addresses = Pick<SimulatorProcess, 'baseUrl' | 'authUrl' | 'dnsBlocksPath'>;

function apiSettings({ baseUrl, authUrl, dnsBlocksPath }: Addresses): Record<string, string> {
  return { API_BASE_URL: baseUrl, AUTH_URL: authUrl, DNS_BLOCKS_PATH: dnsBlocksPath };
}

async function runConnector(
  module: URL,
  environment: Readonly<Record<string, string>>,
  endpoints: Endpoints,
  moment: Moment | undefined,
): Promise<RunOutcome> {
  const { pid, ended } = startConnector(module, environment);
  // The process is still loading its code, so this is long before its first call.
  if (moment) await endpoints.aim(pid, moment);
  const outcome = await ended;
  return { outcome, killedAt: await endpoints.lift() };
}

/** A folder with all lines in one object, where the endpoints have no folder of delivered objects. */
async function written(lines: readonly string[], folder: string): Promise<string> {
  const path = await mkdtemp(join(folder, 'delivered-'));
  await writeFile(join(path, 'all.json.gz'), gzipSync(lines.map(line => `${line}\n`).join('')));
  return path;
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'crash-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** Kills the connector's processes one after the other while the tenant data changes. Then runs the connector until nothing is left to do. */

export interface FaultParts {
  /** Runs the connector once, and kills it at that moment unless it ends before. */
  readonly run: (moment?: Moment) => Promise<RunOutcome>;
  readonly random: () => number;
  readonly kills: number;
  /** Stops the changes of the tenant data. */
  readonly stopTraffic: () => Promise<void>;
  /** Epoch of the newest lease. */
  readonly epoch: () => Promise<number>;
  readonly onRun: (tally: FaultTally) => void;
}

export interface RunOutcome {
  readonly outcome: Outcome;
  /** AWS action at which the run was killed. */
  readonly killedAt: string | undefined;
}

export interface FaultTally {
  kills: number;
  /** By place and AWS action. */
  readonly killedAt: Map<string, number>;
  runs: number;
  completed: number;
  /** Runs that found the lease of a killed run, or lost their own on a slow machine. */
  leaseHeld: number;
  leaseLost: number;
  readonly completedEpochs: Set<number>;
  readonly failures: string[];
}

/** Most runs after the kills until one has nothing to do. Those that wait for the last lease count too. */
const MAX_QUIET_RUNS = 60;

export async function faultInjection(parts: FaultParts): Promise<FaultTally> {
  const tally: FaultTally = {
    kills: 0,
    killedAt: new Map(),
    runs: 0,
    completed: 0,
    leaseHeld: 0,
    leaseLost: 0,
    completedEpochs: new Set(),
    failures: [],
  };
  while (tally.kills < parts.kills && tally.failures.length === 0) {
    await runOnce(parts, tally, randomMoment(parts.random));
  }
  await parts.stopTraffic();
  for (let runs = 0; runs < MAX_QUIET_RUNS && tally.failures.length === 0; runs++) {
    if (isQuiet(await runOnce(parts, tally))) return tally;
  }
  if (tally.failures.length === 0)
    tally.failures.push(`After ${MAX_QUIET_RUNS} runs without kills there are still changes to forward.`);
  return tally;
}

async function runOnce(parts: FaultParts, tally: FaultTally, moment?: Moment): Promise<Outcome> {
  const { outcome, killedAt } = await parts.run(moment);
  tally.runs += 1;
  if (outcome === 'killed') {
    tally.kills += 1;
    const place = `${moment?.place} ${killedAt}`;
    tally.killedAt.set(place, (tally.killedAt.get(place) ?? 0) + 1);
  } else if ('error' in outcome) {
    if (outcome.error.includes('LeaseLostError')) tally.leaseLost += 1;
    else tally.failures.push(`A run failed that was not killed: ${outcome.error}`);
  } else if (outcome.leaseHeld) tally.leaseHeld += 1;
  else {
    tally.completed += 1;
    tally.completedEpochs.add(await parts.epoch());
  }
  parts.onRun(tally);
  return outcome;
}

function isQuiet(outcome: Outcome): boolean {
  if (outcome === 'killed' || 'error' in outcome || outcome.leaseHeld || outcome.more) return false;
  return Object.values(outcome.streams).every(({ forwarded, withdrawn }) => forwarded + withdrawn === 0);
}

/** Reads the epoch of the newest lease at these endpoints. */
export function leaseEpochReader(environment: Readonly<Record<string, string>>): () => Promise<number> {
  const client = new DynamoDBClient({
    endpoint: environment['AWS_ENDPOINT_URL_DYNAMODB']!,
    region: environment['AWS_REGION']!,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const command = { TableName: environment['STATE_TABLE']!, Key: leaseKey, ConsistentRead: true };
  return async () => Number((await client.send(new GetItemCommand(command))).Item?.['epoch']?.N ?? 0);
}

/** Compares the views over a folder's files with the API simulator's truth. @returns a sentence for each violation */
async function viewsUnlikeTruth(folder: string, truth: Parameters<typeof unlikeTruth>[0]): Promise<string[]> {
  using database = await EventDatabase.open(folder);
  const copy: ViewsCopy = new Map();
  for (const row of await (await database.query(COPY_QUERY)).getRows()) addTo(copy, row as unknown as CopyRow);
  return unlikeTruth(truth, copy);
}
