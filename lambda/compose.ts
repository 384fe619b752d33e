/**
 * Composition root. It creates the parts that a container keeps between invocations, and the parts
 * of each invocation.
 */
import { randomUUID } from 'node:crypto';
import type { AwsClients } from './aws.ts';
import { organizationDigest } from './core/organization.ts';
import type { RetryBudget } from './core/retry.ts';
import { membersToCut } from './core/row.ts';
import type { Assignment, Ports } from './core/run.ts';
import { createRowFilter } from './filters.ts';
import type { Clock, Hash, Lease, Log } from './ports.ts';
import type { Settings } from './settings.ts';
import { createDeadLetterStore } from './sink/dead-letters.ts';
import { createDelivery } from './sink/firehose.ts';
import { createLogStore } from './sink/logs.ts';
import { createApi } from './source/api.ts';
import { createCredentialsReader } from './source/credentials.ts';
import type { Fetch } from './source/http.ts';
import { createRequestPace } from './source/request-pace.ts';
import { createTokenSource, type TokenSource, tokenEndpoint, tokenSourceOfRun } from './source/token.ts';
import { createCheckpointStore } from './store/checkpoints.ts';
import { createLease } from './store/lease.ts';
import { createChildIndex, createRemovalStore, createRowStateStore } from './store/rows.ts';
import { createTable } from './store/table.ts';
import { enabledStreams, type StreamName, streamKey } from './streams.ts';
import { sha256 } from './system.ts';

/** All connections out of the process. The simulation replaces these members and nothing else. */
export interface Clients extends AwsClients {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hash: Hash;
  readonly log: Log;
}

/**
 * Creates the source of the tokens. It lives as long as the container, so that later invocations
 * reuse its token.
 */
export function createContainerTokenSource(settings: Settings, clients: Clients): TokenSource {
  const credentials = createCredentialsReader(clients.secrets, settings.secretId);
  return createTokenSource({ authUrl: settings.authUrl, credentials, fetch: clients.fetch });
}

export interface RunParts {
  readonly ports: Ports;
  readonly lease: Lease;
  /**
   * Requests the token in parallel with the first reads of the table. A failure is reported where
   * the token is used.
   */
  readonly warmUp: () => Promise<unknown>;
}

/** @param timeLeft returns the milliseconds until retries must end */
export function composeRun(
  settings: Settings,
  clients: Clients,
  containerTokens: TokenSource,
  timeLeft: () => number,
): RunParts {
  const { clock, random, hash, log } = clients;
  const retryBudget: RetryBudget = { clock, random, timeLeft };
  let unclearWrites = 0;
  const table = createTable(clients.dynamodb, settings.table, retryBudget, () => {
    unclearWrites++;
  });
  const tokens = tokenSourceOfRun(containerTokens);
  const { baseUrl, authUrl, requestsPerMinute } = settings;
  const pace = requestsPerMinute === undefined ? undefined : createRequestPace(requestsPerMinute);
  const api = createApi({ baseUrl, tokens, fetch: clients.fetch, retryBudget, pace });
  const ports: Ports = {
    source: api,
    async organization() {
      const { clientId } = await tokens.token(retryBudget);
      return organizationDigest({ tokenEndpoint: tokenEndpoint(authUrl), baseUrl, clientId }, hash);
    },
    checkpoints: createCheckpointStore(table, () => unclearWrites),
    logs: createLogStore({ client: clients.s3, bucket: settings.deadLetterBucket, retryBudget }),
    rowStates: createRowStateStore(table, hash),
    childIndex: createChildIndex(table, hash),
    removals: createRemovalStore(table, hash),
    delivery: createDelivery(clients.firehose, settings.deliveryStream, retryBudget),
    deadLetters: createDeadLetterStore({
      client: clients.s3,
      bucket: settings.deadLetterBucket,
      connector: settings.connector,
      retryBudget,
    }),
    clock,
    hash,
    log,
  };
  const lease = createLease({ table, clock, holder: randomUUID(), seconds: settings.leaseSeconds, pace });
  return { ports, lease, warmUp: () => tokens.token(retryBudget).catch(() => undefined) };
}

/**
 * Makes the assignment of a run from the settings.
 *
 * @param only names of the streams to read; absent if the run reads every stream that is switched
 * on
 */
export function createAssignment(settings: Settings, only?: readonly StreamName[]): Assignment {
  const { filters, omit, threatAssetField: parentMember } = settings;
  const on = enabledStreams(({ pathOption }) => settings[pathOption]).map(stream => {
    const key = streamKey(stream.name);
    const since = stream.name === 'dns-blocks' ? settings.dnsBlocksSince : undefined;
    const options = { filter: filters?.[key], omit: omit?.[key], since };
    return { ...stream, filter: createRowFilter(options, stream.path, membersToCut(stream, parentMember), sha256) };
  });
  return {
    connector: settings.connector,
    streams: only ? on.filter(({ name }) => only.includes(name)) : on,
    pageLimit: settings.pageLimit,
    parentMember,
    configuredNames: { rows: settings.rowsMember, pagination: settings.paginationMember },
    refreshDays: settings.refreshDays,
    reconcileDays: settings.reconcileDays,
  };
}
