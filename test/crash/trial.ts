/** One trial: platform, endpoints and connector in processes of their own, a storm of kills, and the verdict. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createRandom } from '../../local/platform/draw.ts';
import { bundle } from '../lambda/support/bundle.ts';
import { viewsUnlikeTruth } from '../local/query/views-of-folder.ts';
import { receive } from '../simulation/oracle/siem.ts';
import { startConnector } from './connector-process.ts';
import { type Endpoints, startEndpoints } from './endpoints.ts';
import { check, type Result } from './judge.ts';
import { leaseEpochReader } from './lease-epoch.ts';
import type { Moment } from './moment.ts';
import { type PlatformProcess, startPlatform } from './platform-process.ts';
import { type FaultTally, faultInjection, type RunOutcome } from './storm.ts';
import { truthRows } from './truth-rows.ts';

export interface TrialOptions {
  readonly kills: number;
  /** Of the estate, its life and the moments. What each moment hits is the machine's. */
  readonly seed: number;
  /** Changes a second. */
  readonly traffic: number;
  readonly onRun?: (tally: FaultTally) => void;
  /** Issues the tokens in the platform's place. */
  readonly issuer?: { readonly authUrl: string; readonly secret: string };
  /** @default bundled here */
  readonly module?: URL;
}

export interface TrialResult extends Result {
  readonly tally: FaultTally;
  readonly events: number;
  readonly seconds: number;
}

/** Small pages make many calls; a short lease makes quick takeovers. */
const SETTINGS = { CONNECTOR_NAME: 'sigkill', PAGE_LIMIT: '25', LEASE_SECONDS: '1' };
const ESTATE = ['--assets', '100', '--threats', '300', '--dns-blocks', '100'];
const MANNERS = ['--tie-size', '3', '--short-pages', '0.1', '--empty-pages', '0.05', '--shuffle-members'];

export async function trial(options: TrialOptions): Promise<TrialResult> {
  const { kills, seed, onRun = () => {}, issuer, module } = options;
  const started = performance.now();
  await using folder = await temporaryFolder();
  await using code = module ? undefined : await bundle();
  await using platform = await startPlatform(platformFlags(options));
  await using endpoints = await startEndpoints(folder.path, issuer?.secret ?? platform.secret);
  const environment = { ...endpoints.environment, ...SETTINGS, ...apiSettings({ ...platform, ...issuer }) };
  const tally = await faultInjection({
    kills,
    onRun,
    random: createRandom(seed),
    run: moment => runOnce(module ?? code!.module, environment, endpoints, moment),
    stopTraffic: () => platform.stopTraffic(),
    epoch: leaseEpochReader(environment),
  });
  const lines = await endpoints.delivered();
  const events = lines.map(line => receive(line, 0));
  const truth = await platform.truth();
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

function platformFlags({ seed, traffic, issuer }: TrialOptions): string[] {
  const trust = issuer ? ['--trusted-issuer', issuer.authUrl] : [];
  return [...ESTATE, ...MANNERS, '--seed', `${seed}`, '--life', `${traffic}`, ...trust];
}

type Addresses = Pick<PlatformProcess, 'baseUrl' | 'authUrl' | 'dnsBlocksPath'>;

function apiSettings({ baseUrl, authUrl, dnsBlocksPath }: Addresses): Record<string, string> {
  return { API_BASE_URL: baseUrl, AUTH_URL: authUrl, DNS_BLOCKS_PATH: dnsBlocksPath };
}

async function runOnce(
  module: URL,
  environment: Readonly<Record<string, string>>,
  endpoints: Endpoints,
  moment: Moment | undefined,
): Promise<RunOutcome> {
  const { pid, ended } = startConnector(module, environment);
  // Long before it makes its first call: it has yet to load its code.
  if (moment) await endpoints.aim(pid, moment);
  const outcome = await ended;
  return { outcome, killedAt: await endpoints.lift() };
}

/** Where no folder of delivered objects is to be had: one with all lines in one object. */
async function written(lines: readonly string[], folder: string): Promise<string> {
  const path = await mkdtemp(join(folder, 'delivered-'));
  await writeFile(join(path, 'all.json.gz'), gzipSync(lines.map(line => `${line}\n`).join('')));
  return path;
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'sigkill-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
