import { setTimeout as wait } from 'node:timers/promises';
import { type Account, createAccount, drawBytes } from './account.ts';
import { type ApiParts, answerCall } from './api.ts';
import { type Authority, createAuthority } from './authority.ts';
import type { RowInput } from './control-row.ts';
import { createCursors } from './cursor.ts';
import { DnsBlocks } from './dns-blocks.ts';
import { TenantData } from './estate.ts';
import { createFaults, type Endpoint, type Fault } from './faults.ts';
import { createPageCutter } from './page.ts';
import type { Call } from './problem.ts';
import { createRateLimiter } from './rate-limit.ts';
import { endpointOf } from './routes.ts';
import { createRowWriter, type PositionShown } from './rows.ts';
import { generatedMembers } from './sample-rows.ts';
import { type SeedCounts, seedTenantData } from './seed.ts';
import { completeSettings, type PlatformSettings } from './settings.ts';
import { signedTokens, type TokenFormat, tableTokens } from './tokens.ts';
import { withTrustedIssuer } from './trusted-issuer.ts';
import { readTruth, type Truth, truthText } from './truth.ts';
import { type Outcome, webFetch } from './web-fetch.ts';

export interface PlatformOptions extends Partial<PlatformSettings> {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** In [0,1); everything that is drawn comes from here, so a run can be repeated. */
  readonly random: () => number;
  /** Waits out latency and delays; default: the wall clock's timers. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** Told of errors that are the platform's own fault; default: thrown away, the caller sees a 500. */
  readonly onError?: (error: unknown) => void;
  /** Makes the contents of generated rows; default 1. */
  readonly seed?: number;
}

/** What can happen in the estate, and what is true in it. Refusals are ProblemErrors. */
export interface TenantDataControls {
  putAsset(row: RowInput): void;
  removeAsset(id: string): void;
  restoreAsset(id: string): void;
  tombstoneUnseen(id: string): void;
  putThreat(row: RowInput): void;
  putDnsBlock(row: RowInput): void;
  reproject(stream: 'assets' | 'threats', id: string): void;
  /** By stream and id the newest row; `shown` default `position`. */
  truth(shown?: PositionShown): Truth;
  truthText(shown?: PositionShown): Iterable<string>;
}

/** The whole API of one organization in memory. */
export interface Platform extends TenantDataControls {
  readonly settings: PlatformSettings;
  readonly account: Account;
  readonly authority: Authority;
  readonly tenantData: TenantData;
  readonly dnsBlocks: DnsBlocks;
  /** Path of the realm; the token endpoint is below it. */
  readonly realmPath: string;
  readonly tokenPath: string;
  /** Serves the token endpoint, the API and /openapi.json; the origin of the URL does not matter. */
  fetch(request: Request): Promise<Response>;
  /** The same for a call that has not been turned into a Request, so that broken ones can be served too. */
  serve(call: Call): Promise<Outcome>;
  /** Requests served so far, by endpoint. */
  readonly requests: ReadonlyMap<Endpoint | 'unknown', number>;

  setFaults(faults: readonly Fault[]): void;
  /** Adds generated rows of the past; only while the platform is empty. */
  populate(counts: SeedCounts): void;
}

/** Creates an empty platform; cheap enough to make thousands a second. Throws a RangeError for settings that make no sense. */
export function createPlatform(options: PlatformOptions): Platform {
  const settings = completeSettings(options);
  const { random, sleep = wait } = options;
  const faults = createFaults(random, settings.problemBase);
  const parts = createParts(options, settings);
  const { tenantData, dnsBlocks, account, authority, tokenPath } = parts;
  const requests = new Map<Endpoint | 'unknown', number>();
  const serve = async (call: Call): Promise<Outcome> => {
    const endpoint = endpointOf(call.target, tokenPath, settings.dnsBlocksPath);
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
    dnsBlocks,
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

function controls({ tenantData, dnsBlocks, rows }: ApiParts): TenantDataControls {
  return {
    putAsset: row => tenantData.putAsset(row),
    removeAsset: id => tenantData.removeAsset(id),
    restoreAsset: id => tenantData.restoreAsset(id),
    tombstoneUnseen: id => tenantData.tombstoneUnseen(id),
    putThreat: row => tenantData.putThreat(row),
    putDnsBlock: row => dnsBlocks.put(row),
    reproject: (stream, id) => tenantData.reproject(stream, id),
    truth: (shown = 'position') => readTruth({ tenantData, dnsBlocks, rows }, shown),
    truthText: (shown = 'position') => truthText({ tenantData, dnsBlocks, rows }, shown),
  };
}

function populate({ tenantData, dnsBlocks, settings }: ApiParts, options: PlatformOptions, counts: SeedCounts): void {
  const { clock, seed = 1 } = options;
  const held = tenantData.assets.ids.length + tenantData.threats.ids.length + dnsBlocks.ids.size;
  if (held > 0) throw new RangeError('Only an empty platform can be populated: generated rows belong to its past.');
  seedTenantData({ tenantData, dnsBlocks, now: clock(), seed, tieSize: settings.tieSize }, counts);
}

function createParts(options: PlatformOptions, settings: PlatformSettings): ApiParts {
  const { clock, random, seed = 1 } = options;
  const key = drawBytes(random, 32);
  const account = createAccount(random, settings);
  return {
    tenantData: new TenantData(clock, random, settings),
    dnsBlocks: new DnsBlocks(clock, random, settings),
    rows: createRowWriter(settings.threatAssetMember, (stream, index) => generatedMembers(stream, seed, index)),
    cutPage: createPageCutter(createCursors(key), random, settings),
    account,
    authority: createAuthority(clock, tokenFormat(key, settings), account, settings),
    countRequest: createRateLimiter(clock, settings.rateLimit),
    tokenPath: `${realmPath(settings)}/protocol/openid-connect/token`,
    onError: options.onError ?? (() => {}),
    clock,
    random,
    settings,
  };
}

function tokenFormat(key: Uint8Array, settings: PlatformSettings): TokenFormat {
  const own = settings.tokens === 'table' ? tableTokens() : signedTokens(key, realmPath(settings), settings.clientId);
  return settings.trustedIssuer === undefined ? own : withTrustedIssuer(own, settings.trustedIssuer);
}

function realmPath(settings: PlatformSettings): string {
  return `/realms/${encodeURIComponent(settings.realm)}`;
}
