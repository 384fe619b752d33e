/** Puts the adapters together: what a container keeps between invocations, and what each invocation makes anew. */
import { randomUUID } from 'node:crypto';
import { createApi } from './adapters/api.ts';
import type { Sender } from './adapters/aws-calls.ts';
import { createCheckpoints } from './adapters/checkpoints.ts';
import { createCredentials } from './adapters/credentials.ts';
import { createDeadLetters } from './adapters/dead-letter.ts';
import { createFirehose } from './adapters/firehose.ts';
import type { Fetch } from './adapters/http.ts';
import { createLease } from './adapters/lease.ts';
import { createMemberships } from './adapters/memberships.ts';
import type { Patience } from './adapters/patience.ts';
import { createRowReader } from './adapters/row-reader.ts';
import { createRowStates } from './adapters/row-states.ts';
import { createTable } from './adapters/table.ts';
import { createTokens, failingOnce, type Tokens } from './adapters/token.ts';
import { createWithdrawalList } from './adapters/withdrawal-list.ts';
import { envelope } from './core/event.ts';
import { ocsfFormat } from './core/ocsf/format.ts';
import type { Assignment, World } from './core/run.ts';
import type { Clock, Hash, Lease, Log } from './ports.ts';
import type { Settings } from './settings.ts';
import { type StreamName, streamsOn } from './streams.ts';

/** Everything that reaches out of the process, so that a simulation can stand at exactly these places. */
export interface Edges {
  readonly dynamodb: Sender;
  readonly firehose: Sender;
  readonly secrets: Sender;
  /** Made when first needed. */
  readonly s3: () => Promise<Sender>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hash: Hash;
  readonly log: Log;
}

/** Kept for the life of a container: the secret and the token are reused by warm invocations. */
export function createContainerTokens(settings: Settings, edges: Edges): Tokens {
  const credentials = createCredentials(edges.secrets, settings.secretId);
  return createTokens({ authUrl: settings.authUrl, credentials, fetch: edges.fetch });
}

export interface InvocationWorld {
  readonly world: World;
  readonly lease: Lease;
  /** Asks for the token ahead of its use, beside the first reads of the table. A failure shows where the token is used. */
  readonly warmUp: () => Promise<unknown>;
}

/** @param timeLeft milliseconds until retries must end */
export function createWorld(
  settings: Settings,
  edges: Edges,
  containerTokens: Tokens,
  timeLeft: () => number,
): InvocationWorld {
  const { clock, random, hash, log } = edges;
  const patience: Patience = { clock, random, timeLeft };
  const table = createTable(edges.dynamodb, settings.table, patience);
  const tokens = failingOnce(containerTokens);
  const api = createApi({ baseUrl: settings.baseUrl, tokens, fetch: edges.fetch, patience });
  const world: World = {
    source: api,
    rows: createRowReader(api),
    checkpoints: createCheckpoints(table, hash),
    rowStates: createRowStates(table, hash),
    memberships: createMemberships(table, hash),
    withdrawals: createWithdrawalList(table, hash),
    delivery: createFirehose(edges.firehose, settings.deliveryStream, patience),
    deadLetters: createDeadLetters({
      client: edges.s3,
      bucket: settings.deadLetterBucket,
      connector: settings.connector,
      patience,
    }),
    clock,
    hash,
    log,
  };
  const lease = createLease({ table, clock, owner: randomUUID(), seconds: settings.leaseSeconds });
  return { world, lease, warmUp: () => tokens.token(patience).catch(() => undefined) };
}

/** What the settings have a run do. @param only of the streams that are on, these alone */
export function assign(settings: Settings, only?: readonly StreamName[]): Assignment {
  const on = streamsOn(({ pathOption }) => settings[pathOption]);
  return {
    connector: settings.connector,
    streams: only ? on.filter(({ name }) => only.includes(name)) : on,
    pageLimit: settings.pageLimit,
    ownerMember: settings.threatAssetField,
    configuredNames: settings.names,
    format: settings.ocsf ? ocsfFormat({ ownerMember: settings.threatAssetField, fields: settings.ocsf }) : envelope,
  };
}
