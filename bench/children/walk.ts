/**
 * One walk of the product: the real handler's parts and the real SDK clients against API and AWS in another process. Prints seconds, CPU
 * seconds, peak memory and calls, as JSON.
 *
 *     node bench/children/walk.ts new 204        a backfill of 204 pages of assets
 *     node bench/children/walk.ts removals 10000 10,000 assets with two threats each are removed
 */
import path from 'node:path';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { type AwsClients, createAwsClients, type Sender } from '../../lambda/aws.ts';
import { createContainerTokens } from '../../lambda/compose.ts';
import { invoke } from '../../lambda/invocation.ts';
import { sha256, systemClock } from '../../lambda/system.ts';
import { serving } from '../processes.ts';
import { recorder, type SentAgain } from '../recorder.ts';
import { peakMegabytes } from '../resources.ts';
import { PAGE_ROWS } from '../rows.ts';
import { SETTINGS } from '../simulation.ts';
import type { Pages } from './walk-sink.ts';

const [scenario = 'new', size = '204', sinkScript = path.join(import.meta.dirname, 'walk-sink.ts')] =
  process.argv.slice(2);
const HOUR = 3_600_000;
const count = Number(size);

using sink = await serving<string>(sinkScript, []);
const url = sink.line;
Object.assign(process.env, {
  AWS_ENDPOINT_URL: url,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
});
// Minified as in the function's bundle, the classes have lost their names.
const COMMANDS = new Map<unknown, string>(
  Object.entries({
    BatchGetItemCommand,
    BatchWriteItemCommand,
    PutItemCommand,
    PutRecordBatchCommand,
    QueryCommand,
    UpdateItemCommand,
  }).map(([name, command]) => [command, name.replace(/Command$/, '')]),
);
const calls: Record<string, number> = {};
const aws = createAwsClients({ s3PathStyle: true, leaseSeconds: 60 });
console.log(JSON.stringify(await SCENARIOS()[scenario]!()));

function SCENARIOS(): Readonly<Record<string, () => Promise<Result>>> {
  const assets = (content: Pages['content']) => ({ assets: { count, rows: count * PAGE_ROWS, content } });
  const after = (content: Pages['content']) => async () => {
    await serve(assets('new'));
    await run(['assets']);
    await serve(assets(content));
    return measured(() => run(['assets']));
  };
  return {
    new: async () => {
      await serve(assets('new'));
      return measured(() => run(['assets']));
    },
    changed: after('changed'),
    moved: after('moved'),
    polls: async () => {
      await serve({ assets: { count: 1, rows: PAGE_ROWS, content: 'new' } });
      await run(['assets']);
      return measured(async () => {
        for (let poll = 0; poll < count; poll++) await run(['assets']);
      });
    },
    removals: async () => {
      const pages = (rows: number, content: Pages['content']) => ({
        count: Math.ceil(rows / PAGE_ROWS),
        rows,
        content,
      });
      await serve({ assets: pages(count, 'new'), threats: pages(count * 2, 'new') });
      await run(['assets', 'threats']);
      await serve({ assets: pages(count, 'removed'), threats: { count: 0, rows: 0, content: 'new' } });
      return measured(() => run(['assets', 'threats']));
    },
    bare: async () => {
      await serve(assets('new'));
      return measured(bareLoop);
    },
    traffic: async () => {
      const sent = await recorded(assets('new'));
      return measured(() => traffic(sent));
    },
  };
}

interface Result {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
  readonly calls: Readonly<Record<string, number>>;
}

async function measured(work: () => Promise<unknown>): Promise<Result> {
  for (const name of Object.keys(calls)) delete calls[name];
  const began = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - began) / 1000;
  return { seconds, cpuSeconds: (user + system) / 1e6, peakMegabytes: peakMegabytes(), calls };
}

async function serve(streams: Readonly<Record<string, Pages>>): Promise<void> {
  await fetch(`${url}/bench`, { method: 'POST', body: JSON.stringify(streams) });
}

function counting(client: Sender): Sender {
  return {
    send(command) {
      const name = COMMANDS.get(command.constructor) ?? 'other';
      calls[name] = (calls[name] ?? 0) + 1;
      return client.send(command);
    },
  };
}

async function run(streams: readonly string[], of: Pick<AwsClients, 'dynamodb' | 'firehose'> = aws): Promise<void> {
  const settings = { ...SETTINGS, baseUrl: url, authUrl: url };
  const clients = {
    ...aws,
    dynamodb: counting(of.dynamodb),
    firehose: counting(of.firehose),
    fetch: (input: string, init: RequestInit) => fetch(input, init),
    clock: systemClock,
    random: Math.random,
    hash: sha256,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  const tokens = createContainerTokens(settings, clients);
  const invoker = { settings, clients, tokens, telemetry: { report: () => undefined }, memory: () => 0 };
  const { more } = await invoke({ streams }, { getRemainingTimeInMillis: () => HOUR }, invoker);
  if (more) throw new Error('The run did not reach the end');
}

/** Floor: fetches a page ahead, reads it with JSON.parse, and forwards its rows. Knows nothing of before. */
async function bareLoop(): Promise<void> {
  let next: string | null = '';
  let fetched = fetchPage(next);
  while (next !== null) {
    const { data, pagination } = JSON.parse(await fetched);
    next = pagination.next_cursor;
    if (next !== null) fetched = fetchPage(next);
    const lines = data.map((row: unknown) => `${JSON.stringify({ row })}\n`).join('');
    const command = new PutRecordBatchCommand({
      DeliveryStreamName: 'stream',
      Records: [{ Data: Buffer.from(lines) }],
    });
    await aws.firehose.send(command);
  }
}

async function fetchPage(cursor: string): Promise<string> {
  const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  return (await fetch(`${url}/v1/assets?limit=${PAGE_ROWS}${query}`)).text();
}

/** Floor: the same SDK calls, without our code. As many at a time as belong to one page. */
async function traffic(sent: readonly SentAgain[]): Promise<void> {
  const atOnce = Math.ceil(sent.length / count);
  for (let page = 0; page < count; page++) {
    await Promise.all(sent.slice(page * atOnce, (page + 1) * atOnce).map(send => send()));
  }
}

async function recorded(streams: Readonly<Record<string, Pages>>): Promise<readonly SentAgain[]> {
  const { sent, recording } = recorder();
  await serve(streams);
  await run(['assets'], { dynamodb: recording(aws.dynamodb), firehose: recording(aws.firehose) });
  return sent;
}
