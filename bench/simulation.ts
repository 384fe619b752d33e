/** The real invocation over simulated clients: an API and an AWS in this process that answer after a delay. */
import { setTimeout as wait } from 'node:timers/promises';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Sender } from '../lambda/aws.ts';
import { type Clients, createContainerTokens } from '../lambda/compose.ts';
import { type InvocationResult, type Invoker, invoke } from '../lambda/invocation.ts';
import { OPTION_DEFAULTS } from '../lambda/options.ts';
import type { Settings } from '../lambda/settings.ts';
import { sha256, systemClock } from '../lambda/system.ts';

export interface SimulationOptions {
  /** The list answer at a path, for a cursor; or the base URL of a server that gives it. */
  readonly page: ((path: string, cursor: string | null) => Uint8Array<ArrayBuffer>) | string;
  /** Milliseconds until the API, and until AWS, answers. */
  readonly apiDelay?: number;
  readonly awsDelay?: number;
  /** Whether the table keeps what is written. @default true */
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
  ...OPTION_DEFAULTS,
  baseUrl: 'https://api.bench.example',
  authUrl: 'https://auth.bench.example/realm',
  secretId: 'secret',
  table: 'table',
  deliveryStream: 'stream',
  deadLetterBucket: 'bucket',
  connector: 'bench',
  dnsBlocksPath: '/v1/dns-blocks',
  names: {},
  s3PathStyle: false,
};

/** The clients that stay in the process. The log is dropped. */
export const SYSTEM: Pick<Clients, 'clock' | 'random' | 'hash' | 'log'> = {
  clock: systemClock,
  random: Math.random,
  hash: sha256,
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
};
const HOUR = 3_600_000;

/** A container of the function. Each call is one invocation that has an hour. */
export function createContainer(settings: Settings, clients: Clients) {
  const tokens = createContainerTokens(settings, clients);
  const invoker: Invoker = { settings, clients, tokens, telemetry: { report: () => undefined }, memory: () => 0 };
  return (streams?: readonly string[]): Promise<InvocationResult> =>
    invoke(streams ? { streams } : {}, { getRemainingTimeInMillis: () => HOUR }, invoker);
}

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
    ...SYSTEM,
  };
  const settings = typeof page === 'string' ? { ...SETTINGS, baseUrl: page } : SETTINGS;
  return { table, calls, recordBytes, run: createContainer(settings, clients) };
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

type Item = Record<string, AttributeValue>;

/** DynamoDB in memory, as far as the connector calls it. Conditions always hold. */
export class SimulatedTable {
  /** Write units so far: one for each KiB begun. */
  units = 0;
  readonly #partitions = new Map<string, Map<string, Item>>();
  /** Without it, nothing is kept or counted, and every read finds nothing. */
  readonly #remembers: boolean;

  constructor(remembers: boolean) {
    this.#remembers = remembers;
  }

  /** Answers the input of a command, by the command's name. */
  // biome-ignore lint/suspicious/noExplicitAny: inputs and answers of seven commands
  answer(command: string, input: any): any {
    const [name] = Object.keys(input.RequestItems ?? {});
    if (command === 'BatchGetItemCommand') {
      const items = input.RequestItems[name!].Keys.map((key: Item) => this.#find(key)).filter(Boolean);
      return { Responses: { [name!]: items }, UnprocessedKeys: {} };
    }
    if (command === 'BatchWriteItemCommand') {
      for (const { PutRequest, DeleteRequest } of input.RequestItems[name!]) {
        if (PutRequest) this.#put(PutRequest.Item);
        else this.#delete(DeleteRequest.Key);
      }
      return { UnprocessedItems: {} };
    }
    if (command === 'PutItemCommand') return this.#put(input.Item);
    if (command === 'QueryCommand') {
      return { Items: [...(this.#partitions.get(input.ExpressionAttributeValues[':pk'].S)?.values() ?? [])] };
    }
    if (command === 'UpdateItemCommand') return this.#update(input.Key, input.ExpressionAttributeValues);
    throw new Error(`The simulated table does not know ${command}`);
  }

  #find(key: Item): Item | undefined {
    return this.#partitions.get(key['pk']!.S!)?.get(key['sk']!.S!);
  }

  #put(item: Item): object {
    if (!this.#remembers) return {};
    this.units += Math.ceil(itemBytes(item) / 1024);
    const partition = this.#partitions.get(item['pk']!.S!) ?? new Map<string, Item>();
    partition.set(item['sk']!.S!, item);
    this.#partitions.set(item['pk']!.S!, partition);
    return {};
  }

  #delete(key: Item): void {
    if (!this.#remembers) return;
    this.units += Math.ceil(itemBytes(this.#find(key) ?? key) / 1024);
    this.#partitions.get(key['pk']!.S!)?.delete(key['sk']!.S!);
  }

  /** The three updates of the lease, which no other run ever holds. */
  #update(key: Item, values: Item): object {
    const before = this.#find(key);
    const after: Item = { ...key, ...before };
    if (values[':holder']) {
      after['epoch'] = { N: String(Number(before?.['epoch']?.N ?? 0) + 1) };
      after['ended'] = { S: 'no' };
    }
    if (values[':ended']) after['ended'] = values[':ended'];
    if (values[':expires']) after['expires'] = values[':expires'];
    this.#put(after);
    return { Attributes: before ?? {} };
  }
}

/** As DynamoDB counts: names and values in UTF-8, numbers in half their digits and one, booleans as one. */
function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += Buffer.byteLength(name);
    if (value.S !== undefined) bytes += Buffer.byteLength(value.S);
    else if (value.B !== undefined) bytes += value.B.byteLength;
    else if (value.N !== undefined) bytes += Math.ceil(value.N.length / 2) + 1;
    else bytes += 1;
  }
  return bytes;
}
