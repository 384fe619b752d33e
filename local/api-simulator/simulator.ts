import { setTimeout as wait } from 'node:timers/promises';
import { answerCall, REALM_PATH, TOKEN_PATH } from './api.ts';
import { drawBytes, ServiceAccount } from './auth.ts';
import { createFaultInjector, type Endpoint, type Fault } from './faults.ts';
import { createCursorCodec } from './lists.ts';
import type { HttpCall } from './problem.ts';
import { findRoute, readTarget } from './routes.ts';
import { createRowWriter, type PositionShown } from './rows.ts';
import { generatedMembers, type SeedCounts, seedTenantData } from './seed.ts';
import { completeSettings, type SimulatorSettings } from './settings.ts';
import { TenantData } from './tenant-data.ts';
import { readTruth, type Truth, truthText } from './truth.ts';
import { type CallOutcome, createWebFetch } from './web-fetch.ts';

export interface SimulatorOptions extends Partial<SimulatorSettings> {
  /** Current time in milliseconds since 1970. */
  readonly clock: () => number;
  /**
   * Returns a number in [0,1). It is the only source of randomness, so that a run can be repeated.
   */
  readonly random: () => number;
  /** Waits for latencies and delays. @default a timer */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /**
   * Called for internal errors of the API simulator, which are dropped by default. The caller of
   * the API always gets the status 500.
   */
  readonly onError?: (error: unknown) => void;
  /** Determines the contents of generated rows. @default 1 */
  readonly seed?: number;
}

/** Changes to the tenant's data. A change that is refused throws a ProblemError. */
type Changes = Pick<TenantData, 'put' | 'remove' | 'restore' | 'tombstoneUnseen' | 'redeliver'>;

/** The whole API of one organization, kept in memory. */
export interface ApiSimulator extends Changes {
  readonly settings: SimulatorSettings;
  readonly account: ServiceAccount;
  readonly tenantData: TenantData;
  /** Path of the realm. The path of the token endpoint begins with it. */
  readonly realmPath: string;
  readonly tokenPath: string;
  /** Requests served so far, by endpoint. */
  readonly requests: ReadonlyMap<Endpoint | 'unknown', number>;
  /** Serves the token endpoint and the API. The origin of the URL does not matter. */
  fetch(request: Request): Promise<Response>;
  /** Serves a call like `fetch`, but the call is not a Request, so it may be malformed. */
  serve(call: HttpCall): Promise<CallOutcome>;

  setFaults(faults: readonly Fault[]): void;
  /** Adds generated rows with times in the past. Only an empty API simulator can be populated. */
  populate(counts: SeedCounts): void;
  /**
   * The newest row of each id, by stream.
   *
   * @param shown form of the stream position in the rows, by default as in lists
   */
  truth(shown?: PositionShown): Truth;
  truthText(shown?: PositionShown): Iterable<string>;
}

/**
 * Creates an empty API simulator. Thousands can be created per second. Throws a RangeError for
 * invalid settings.
 */
export function createSimulator(options: SimulatorOptions): ApiSimulator {
  const settings = completeSettings(options);
  const { clock, random, sleep = wait, seed = 1 } = options;
  const key = drawBytes(random, 32);
  const account = new ServiceAccount(clock, random, key, settings);
  const tenantData = new TenantData(clock, random, settings);
  const writeRow = createRowWriter(settings.threatAssetMember, (stream, index) =>
    generatedMembers(stream, seed, index),
  );
  const cursors = createCursorCodec(key);
  const { onError = () => {} } = options;
  const parts = { tenantData, writeRow, cursors, account, onError, clock, random, settings };

  const faults = createFaultInjector(random);
  const requests = new Map<Endpoint | 'unknown', number>();
  const serve = async (call: HttpCall): Promise<CallOutcome> => {
    const endpoint = endpointOf(call.target, settings);
    requests.set(endpoint ?? 'unknown', (requests.get(endpoint ?? 'unknown') ?? 0) + 1);
    const { answer, delayMs, ...broken } = faults.strike(endpoint);
    if (settings.latencyMs + delayMs > 0) await sleep(settings.latencyMs + delayMs);
    return { answer: answer ?? answerCall(call, parts), ...broken };
  };
  return {
    settings,
    account,
    tenantData,
    realmPath: REALM_PATH,
    tokenPath: TOKEN_PATH,
    requests,
    serve,
    fetch: createWebFetch(serve),
    setFaults: list => faults.set(list),
    populate: counts => seedTenantData(tenantData, counts, { now: clock(), seed, tieSize: settings.tieSize }),
    put: (name, row) => tenantData.put(name, row),
    remove: (name, id) => tenantData.remove(name, id),
    restore: (name, id) => tenantData.restore(name, id),
    tombstoneUnseen: (name, id) => tenantData.tombstoneUnseen(name, id),
    redeliver: (name, id) => tenantData.redeliver(name, id),
    truth: (shown = 'position') => readTruth({ tenantData, writeRow }, shown),
    truthText: (shown = 'position') => truthText({ tenantData, writeRow }, shown),
  };
}

/**
 * Endpoint of a target, for counts and faults. Undefined for an unknown target. It never throws.
 */
function endpointOf(target: string, settings: SimulatorSettings): Endpoint | undefined {
  try {
    const read = readTarget(target);
    return read.path === TOKEN_PATH ? 'token' : findRoute(read, settings)?.endpoint;
  } catch {
    return undefined;
  }
}
