import { setTimeout as wait } from 'node:timers/promises';
import { type ApiParts, answerCall } from './api.ts';
import {
  type Account,
  type Authority,
  createAccount,
  createAuthority,
  drawBytes,
  signedTokens,
  type TokenFormat,
  tableTokens,
  withTrustedIssuer,
} from './auth.ts';
import { createFaults, type Endpoint, type Fault } from './faults.ts';
import { createCursors, createPageCutter } from './lists.ts';
import type { Call } from './problem.ts';
import { endpointOf } from './routes.ts';
import { createRowWriter, type PositionShown } from './rows.ts';
import { generatedMembers, type SeedCounts, seedTenantData } from './seed.ts';
import { completeSettings, type SimulatorSettings } from './settings.ts';
import { TenantData } from './tenant-data.ts';
import { readTruth, type Truth, truthText } from './truth.ts';
import { type Outcome, webFetch } from './web-fetch.ts';

export interface SimulatorOptions extends Partial<SimulatorSettings> {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** In [0,1). The only source of randomness, so that a run can be repeated. */
  readonly random: () => number;
  /** Waits for latency and delays. @default timers */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** Called for internal errors of the API simulator. By default they are dropped; the caller always gets a 500. */
  readonly onError?: (error: unknown) => void;
  /** Determines the contents of generated rows. @default 1 */
  readonly seed?: number;
}

/** Changes to the tenant's data, and the truth about it. Refusals are ProblemErrors. */
export interface TenantDataControls
  extends Pick<TenantData, 'put' | 'remove' | 'restore' | 'tombstoneUnseen' | 'redeliver'> {
  /** By stream and id the newest row; `shown` default `position`. */
  truth(shown?: PositionShown): Truth;
  truthText(shown?: PositionShown): Iterable<string>;
}

/** The whole API of one organization in memory. */
export interface ApiSimulator extends TenantDataControls {
  readonly settings: SimulatorSettings;
  readonly account: Account;
  readonly authority: Authority;
  readonly tenantData: TenantData;
  /** Path of the realm; the token endpoint is below it. */
  readonly realmPath: string;
  readonly tokenPath: string;
  /** Serves the token endpoint and the API; the origin of the URL does not matter. */
  fetch(request: Request): Promise<Response>;
  /** The same for a call that is not a Request, which may be malformed. */
  serve(call: Call): Promise<Outcome>;
  /** Requests served so far, by endpoint. */
  readonly requests: ReadonlyMap<Endpoint | 'unknown', number>;

  setFaults(faults: readonly Fault[]): void;
  /** Adds generated rows of the past. Only an empty API simulator can be populated. */
  populate(counts: SeedCounts): void;
}

/** Creates an empty API simulator. Thousands can be created a second. Throws a RangeError for invalid settings. */
export function createSimulator(options: SimulatorOptions): ApiSimulator {
  const settings = completeSettings(options);
  const { random, sleep = wait } = options;
  const faults = createFaults(random);
  const parts = createParts(options, settings);
  const { tenantData, account, authority, tokenPath } = parts;
  const requests = new Map<Endpoint | 'unknown', number>();
  const serve = async (call: Call): Promise<Outcome> => {
    const endpoint = endpointOf(call.target, tokenPath, settings);
    requests.set(endpoint ?? 'unknown', (requests.get(endpoint ?? 'unknown') ?? 0) + 1);
    const { answer, reset, truncate, delayMs } = faults.strike(endpoint);
    if (settings.latencyMs + delayMs > 0) await sleep(settings.latencyMs + delayMs);
    return { answer: answer ?? (await answerCall(call, parts)), reset, truncate };
  };
  return {
    settings,
    account,
    authority,
    tenantData,
    realmPath: realmPath(settings),
    tokenPath,
    serve,
    fetch: webFetch(serve),
    requests,
    setFaults: list => faults.set(list),
    populate: counts => populate(parts, options, counts),
    ...controls(parts),
  };
}

function controls({ tenantData, writeRow }: ApiParts): TenantDataControls {
  return {
    put: (name, row) => tenantData.put(name, row),
    remove: (name, id) => tenantData.remove(name, id),
    restore: (name, id) => tenantData.restore(name, id),
    tombstoneUnseen: (name, id) => tenantData.tombstoneUnseen(name, id),
    redeliver: (name, id) => tenantData.redeliver(name, id),
    truth: (shown = 'position') => readTruth({ tenantData, writeRow }, shown),
    truthText: (shown = 'position') => truthText({ tenantData, writeRow }, shown),
  };
}

function populate({ tenantData, settings }: ApiParts, options: SimulatorOptions, counts: SeedCounts): void {
  const { clock, seed = 1 } = options;
  const isEmpty = Object.values(tenantData.streams).every(({ ids }) => ('size' in ids ? ids.size : ids.length) === 0);
  if (!isEmpty)
    throw new RangeError('Only an empty API simulator can be populated: generated rows belong to its past.');
  seedTenantData({ tenantData, now: clock(), seed, tieSize: settings.tieSize }, counts);
}

function createParts(options: SimulatorOptions, settings: SimulatorSettings): ApiParts {
  const { clock, random, seed = 1 } = options;
  const key = drawBytes(random, 32);
  const account = createAccount(random, settings);
  return {
    tenantData: new TenantData(clock, random, settings),
    writeRow: createRowWriter(settings.threatAssetMember, (stream, index) => generatedMembers(stream, seed, index)),
    cutPage: createPageCutter(createCursors(key), random, settings),
    account,
    authority: createAuthority(clock, tokenFormat(key, settings), account, settings),
    tokenPath: `${realmPath(settings)}/protocol/openid-connect/token`,
    onError: options.onError ?? (() => {}),
    clock,
    random,
    settings,
  };
}

function tokenFormat(key: Uint8Array, settings: SimulatorSettings): TokenFormat {
  const own = settings.tokens === 'table' ? tableTokens() : signedTokens(key, realmPath(settings), settings.clientId);
  return settings.trustedIssuer === undefined ? own : withTrustedIssuer(own, settings.trustedIssuer);
}

function realmPath(settings: SimulatorSettings): string {
  return `/realms/${encodeURIComponent(settings.realm)}`;
}
