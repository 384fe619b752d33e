import type { StreamName } from '../../lambda/streams.ts';
import { createRandom } from '../../local/api-simulator/random.ts';
import { type ApiSimulator, createSimulator, type SimulatorOptions } from '../../local/api-simulator/simulator.ts';
import { ApiClient, type ApiTarget, type PageQuery, type Row } from './api-client.ts';

/**
 * An API simulator with a clock that tests move, and a caller, which requests a token for each
 * call.
 */
export interface Tenant {
  readonly simulator: ApiSimulator;
  readonly clock: { now: number };
  readonly target: ApiTarget;
  readonly client: ApiClient;
  readonly get: ApiClient['get'];
  readonly page: ApiClient['page'];
  /** The rows until the end of the stream. */
  walk(list: StreamName, from?: PageQuery): Promise<readonly Row[]>;
  /** Their ids. */
  ids(list: StreamName, from?: PageQuery): Promise<unknown[]>;
}

const ORIGIN = 'http://simulator.test';

export function createTenant(options: Partial<SimulatorOptions> = {}): Tenant {
  const clock = { now: Date.parse('2026-11-20T12:00:00.000Z') };
  const simulator = createSimulator({ clock: () => clock.now, random: createRandom(42), ...options });
  const target = targetOf(simulator);
  const client = new ApiClient(target);
  const walk: Tenant['walk'] = async (...from) => (await client.walk(...from)).rows;
  return {
    simulator,
    clock,
    target,
    client,
    get: (...call) => client.get(...call),
    page: (...call) => client.page(...call),
    walk,
    ids: async (...from) => (await walk(...from)).map(row => row['id']),
  };
}

/** An API simulator as the target of a client, without a network. */
export function targetOf({ account, settings, tokenPath, fetch }: ApiSimulator): ApiTarget {
  const { clientId, clientSecret } = account;
  const { dnsBlocksPath } = settings;
  return { baseUrl: ORIGIN, tokenUrl: ORIGIN + tokenPath, clientId, clientSecret, dnsBlocksPath, fetch };
}
