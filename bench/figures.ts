/**
 * Measures the five figures. Each measurement uses only interfaces that are meant to stay: the
 * bundled function, or `composeRun` with clients in memory.
 */
import type { Sender } from '../lambda/aws.ts';
import { type Clients, composeRun, createAssignment, createContainerTokenSource } from '../lambda/compose.ts';
import { runStreams } from '../lambda/core/run-streams.ts';
import { OPTION_DEFAULTS } from '../lambda/options.ts';
import type { Settings } from '../lambda/settings.ts';
import { sha256, systemClock } from '../lambda/system.ts';
import { answerBytes, type BenchStream, type DeliveredRow, PAGE_ROWS, rowText, STREAM_NAMES } from './rows.ts';
import { Scene } from './scene.ts';
import type { Usage } from './sink.ts';

export interface Measurement {
  readonly subject: string;
  readonly value: number;
  readonly unit: string;
  /**
   * Cost of the least possible work, measured in the same run. Absent when the figure is a count.
   */
  readonly floor?: number;
  /**
   * Greatest acceptable ratio of value to floor, or greatest acceptable value if there is no floor.
   */
  readonly target?: number;
}

export interface Figure {
  readonly name: string;
  readonly title: string;
  /** Whether the figure is a count. Counts do not vary, so they are measured once. */
  readonly isCount?: boolean;
  /** Measures the figure. The size `tiny` only shows that the figure can be measured. */
  measure(size: 'full' | 'tiny'): Promise<Measurement[]>;
}

/** Milliseconds until the API, AWS and S3 answer. */
const AWAY = { api: 40, aws: 10, s3: 35 };
const NEAR = { api: 0, aws: 0, s3: 0 };

/** Makes `count` rows with consecutive indexes, which begin with `start`. */
function rows(count: number, of: Omit<DeliveredRow, 'index'> = {}, start = 0): DeliveredRow[] {
  return Array.from({ length: count }, (_, index) => ({ index: start + index, ...of }));
}

const walk: Figure = {
  name: 'walk',
  title: '100,000 new assets, API 40 ms, AWS 10 ms. Floors: the time of the API alone; the CPU of a loop that forwards',
  async measure(size) {
    const count = size === 'full' ? 100_000 : 500;
    await using scene = await Scene.open(AWAY);
    await scene.append({ assets: rows(count) });
    const floor = await (await scene.container('bare')).run();
    const { seconds, cpuSeconds } = await (await scene.container()).run({ streams: ['assets'] });
    const apiSeconds = ((count / PAGE_ROWS) * AWAY.api) / 1000;
    return [
      { subject: 'time', value: seconds, floor: apiSeconds, unit: 's', target: 1.15 },
      { subject: 'CPU', value: cpuSeconds, floor: floor.cpuSeconds, unit: 's', target: 2.5 },
      { subject: 'log', value: (await scene.used()).s3Puts / (count / 1_000), unit: 'PUTs a thousand rows' },
    ];
  },
};

const memory: Figure = {
  name: 'memory',
  title: 'Peak resident memory of a walk of 100,000 new assets, as far away. Floor: of 10,000',
  async measure(size) {
    const [many, few] = size === 'full' ? [100_000, 10_000] : [1_000, 500];
    const peak = async (count: number) => {
      await using scene = await Scene.open(AWAY);
      await scene.append({ assets: rows(count) });
      return (await (await scene.container()).run({ streams: ['assets'] })).peakMegabytes;
    };
    const [floor, value] = [await peak(few), await peak(many)];
    return [
      { subject: 'peak', value, unit: 'MB', target: 200 },
      { subject: 'growth', value, floor, unit: 'MB', target: 1.2 },
    ];
  },
};

const units: Figure = {
  name: 'units',
  title: 'DynamoDB write units a row, with checkpoints, logs and lease',
  isCount: true,
  async measure(size) {
    const count = size === 'full' ? 20_000 : 500;
    await using scene = await Scene.open(NEAR);
    const container = await scene.container();
    const unitsPerRow = async (stream: BenchStream, delivered: DeliveredRow[]): Promise<number> => {
      const { writeUnits } = await scene.used();
      await scene.append({ [stream]: delivered });
      await container.run({ streams: [stream] });
      return ((await scene.used()).writeUnits - writeUnits) / count;
    };
    const unit = 'units a row';
    return [
      { subject: 'new asset', value: await unitsPerRow('assets', rows(count)), unit, target: 1.1 },
      { subject: 'changed asset', value: await unitsPerRow('assets', rows(count, { version: 1 })), unit, target: 1.1 },
      { subject: 'new threat', value: await unitsPerRow('threats', rows(count)), unit, target: 2.1 },
      { subject: 'new DNS block', value: await unitsPerRow('dns-blocks', rows(count)), unit, target: 0.05 },
    ];
  },
};

const quietTick: Figure = {
  name: 'tick',
  title: 'What a run without changes uses, with three streams',
  isCount: true,
  async measure() {
    await using scene = await Scene.open(NEAR);
    const container = await scene.container();
    await scene.append(Object.fromEntries(STREAM_NAMES.map(stream => [stream, rows(2 * PAGE_ROWS)])));
    await container.run();
    const before = await scene.used();
    await container.run();
    const after = await scene.used();
    const count = (subject: string, member: keyof Usage, unit: string, target?: number) => ({
      subject,
      value: after[member] - before[member],
      unit,
      ...(target !== undefined && { target }),
    });
    return [
      count('API', 'apiCalls', 'calls', 3),
      count('Firehose', 'firehoseCalls', 'calls', 0),
      count('DynamoDB', 'dynamodbCalls', 'calls', 4),
      count('DynamoDB reads', 'readUnits', 'units'),
      count('DynamoDB writes', 'writeUnits', 'units'),
    ];
  },
};

const SETTINGS: Settings = {
  ...OPTION_DEFAULTS,
  baseUrl: 'https://api.bench.example',
  authUrl: 'https://auth.bench.example/realm',
  secretId: 'secret',
  table: 'table',
  deliveryStream: 'stream',
  deadLetterBucket: 'bucket',
  connector: 'bench',
  dnsBlocksPath: '/v1/dns-blocks',
  s3PathStyle: false,
};

/** Answers of a table that keeps nothing, so that each row is new. */
const EMPTY_TABLE: Readonly<Record<string, object>> = {
  BatchGetItem: { Responses: { [SETTINGS.table]: [] }, UnprocessedKeys: {} },
  BatchWriteItem: { UnprocessedItems: {} },
  PutItem: {},
  Query: { Items: [] },
  UpdateItem: { Attributes: {} },
};

/**
 * Walks over the given pages of one stream. All rows are new, and the API and AWS are simulated in
 * this process and answer at once.
 */
function walkInMemory(stream: BenchStream, pages: readonly (readonly string[])[]): () => Promise<unknown> {
  const bodies = pages.map((page, at) => answerBytes(page, at + 1 < pages.length ? `${at + 1}` : null));
  const quiet = () => undefined;
  const sender = (answer: (action: string, input: object) => object): Sender => ({
    send: async command => answer(command.constructor.name.replace(/Command$/, ''), command.input) as never,
  });
  const clients: Clients = {
    async fetch(url) {
      const { pathname, searchParams } = new URL(url);
      if (pathname.endsWith('/token'))
        return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 300 });
      return new Response(bodies[Number(searchParams.get('cursor') ?? 0)]);
    },
    dynamodb: sender(action => EMPTY_TABLE[action]!),
    firehose: sender((_, input) => {
      const { Records } = input as { readonly Records: readonly object[] };
      return { FailedPutCount: 0, RequestResponses: Records.map(() => ({ RecordId: 'record' })) };
    }),
    secrets: sender(() => ({ SecretString: '{"client_id":"id","client_secret":"secret"}' })),
    s3: async () => sender(() => ({ ETag: '1' })),
    clock: systemClock,
    random: Math.random,
    hash: sha256,
    log: { info: quiet, warn: quiet, error: quiet },
  };
  const tokens = createContainerTokenSource(SETTINGS, clients);
  return async () => {
    const { results, failures } = await runStreams({
      ...composeRun(SETTINGS, clients, tokens, () => 3_600_000),
      assignment: createAssignment(SETTINGS, [stream]),
      commands: { resync: [], replay: [] },
      outOfTime: () => false,
    });
    const forwarded = results.get(stream)?.forwarded;
    if (forwarded !== pages.flat().length) throw failures.get(stream) ?? new Error(`${forwarded} rows were sent`);
  };
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const newRow: Figure = {
  name: 'row',
  title: 'CPU of a new row, without HTTP and the SDK. Floor: JSON.parse and JSON.stringify of the row',
  async measure(size) {
    const [count, warmUp, rounds] = size === 'full' ? [24, 3, 5] : [2, 0, 1];
    const measurements: Measurement[] = [];
    for (const stream of STREAM_NAMES) {
      const pages = Array.from({ length: count }, (_, page) =>
        rows(PAGE_ROWS, {}, page * PAGE_ROWS).map(row => rowText(stream, row)),
      );
      const work = walkInMemory(stream, pages);
      // The texts are flat strings, as if each of them had been read from a file.
      const texts = pages.flat().map(text => Buffer.from(text).toString());
      const floor = () => {
        for (const text of texts) JSON.stringify(JSON.parse(text));
      };
      const spent = { work: 0, floor: 0 };
      // The figure and its floor take turns, so that a busy machine slows both.
      for (let round = -warmUp; round < rounds; round++) {
        const [ofFloor, ofWork] = [await cpuOf(floor), await cpuOf(work)];
        if (round < 0) continue;
        spent.floor += ofFloor;
        spent.work += ofWork;
      }
      const perRow = texts.length * rounds;
      measurements.push({ subject: stream, value: spent.work / perRow, floor: spent.floor / perRow, unit: 'µs a row' });
    }
    return measurements;
  },
};

export const FIGURES: readonly Figure[] = [walk, newRow, units, quietTick, memory];
