/** The real handler's insides over simulated edges: an API and an AWS in this process that answer after a while. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Sender } from '../lambda/aws.ts';
import { type Clients, createContainerTokens } from '../lambda/compose.ts';
import { type InvocationResult, type Invoker, invoke } from '../lambda/invocation.ts';
import type { Settings } from '../lambda/settings.ts';
import { sha256, systemClock } from '../lambda/system.ts';
import { SimulatedTable } from './simulated-table.ts';

export interface SimulationOptions {
  /** The list answer at a path, for a cursor; or the base URL of a server that gives it. */
  readonly page: ((path: string, cursor: string | null) => Uint8Array<ArrayBuffer>) | string;
  /** Milliseconds until the API, and until AWS, answers. */
  readonly apiDelay?: number;
  readonly awsDelay?: number;
  /** Whether the table keeps what is written; default true. */
  readonly remembers?: boolean;
}

export interface Simulation {
  readonly table: SimulatedTable;
  readonly calls: { api: number; dynamodb: number; firehose: number };
  /** Sizes of the records that Firehose took. */
  readonly recordBytes: number[];
  /** One invocation. */
  run(streams?: readonly string[]): Promise<InvocationResult>;
}

export const SETTINGS: Settings = {
  baseUrl: 'https://api.bench.example',
  authUrl: 'https://auth.bench.example/realm',
  secretId: 'secret',
  table: 'table',
  deliveryStream: 'stream',
  deadLetterBucket: 'bucket',
  connector: 'bench',
  dnsBlocksPath: '/v1/dns-blocks',
  threatAssetField: 'asset_id',
  pageLimit: 500,
  names: {},
  leaseSeconds: 60,
  s3PathStyle: false,
};

const HOUR = 3_600_000;

export function createSimulation({
  page,
  apiDelay = 0,
  awsDelay = 0,
  remembers = true,
}: SimulationOptions): Simulation {
  const table = new SimulatedTable(remembers);
  const calls = { api: 0, dynamodb: 0, firehose: 0 };
  const recordBytes: number[] = [];
  const clients: Clients = {
    async fetch(url, init) {
      const { pathname, searchParams } = new URL(url);
      if (pathname.endsWith('/token')) return json({ access_token: 'token', token_type: 'Bearer', expires_in: 300 });
      calls.api++;
      if (apiDelay > 0) await wait(apiDelay);
      if (typeof page === 'string') return fetch(url, init);
      return new Response(page(pathname, searchParams.get('cursor')));
    },
    dynamodb: sender(awsDelay, command => {
      calls.dynamodb++;
      return table.answer(command.constructor.name, command.input);
    }),
    firehose: sender(awsDelay, command => {
      calls.firehose++;
      const { Records: records } = command.input as { Records: { Data: Uint8Array }[] };
      if (remembers) for (const { Data } of records) recordBytes.push(Data.byteLength);
      return { FailedPutCount: 0, RequestResponses: records.map(() => ({ RecordId: 'record' })) };
    }),
    secrets: sender(awsDelay, () => ({ SecretString: '{"client_id":"id","client_secret":"secret"}' })),
    s3: () => Promise.reject(new Error('No benchmark has dead letters')),
    clock: systemClock,
    random: Math.random,
    hash: sha256,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  const settings = typeof page === 'string' ? { ...SETTINGS, baseUrl: page } : SETTINGS;
  const invoker: Invoker = {
    settings,
    clients,
    tokens: createContainerTokens(settings, clients),
    telemetry: { report: () => undefined },
    memory: () => 0,
  };
  const run = (streams?: readonly string[]) =>
    invoke(streams ? { streams } : {}, { getRemainingTimeInMillis: () => HOUR }, invoker);
  return { table, calls, recordBytes, run };
}

function sender(delay: number, answer: (command: { input: object }) => unknown): Sender {
  return {
    async send(command) {
      if (delay > 0) await wait(delay);
      return answer(command);
    },
  };
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } });
}
