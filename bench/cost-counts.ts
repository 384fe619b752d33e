import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Counts, Meter, Tenant } from '../lib/cost/bill.ts';
import { type LocalAws, startAws } from '../local/aws/endpoints.ts';
import { createPlatform, type Platform } from '../local/platform/platform.ts';
import { createRandom } from '../local/platform/random.ts';
import { startPlatformServer } from '../local/platform/server.ts';
import type { RunTimes } from './cost-function.ts';
import { temporaryFolder } from './processes.ts';
import { rowText } from './rows.ts';

/** Milliseconds until the API, and until AWS, answers. */
const LATENCY = { api: 40, aws: 10 } as const;
/** The most rows that are drained first. The cost of a run depends on the changes, not on the stock. */
const STOCK = { assets: 2_000, threats: 8_000, dnsBlocks: 500 };

/** Drains the tenant's stock, then counts what its next minutes take. */
export async function countMinutes(tenant: Tenant, minutes: number): Promise<Counts> {
  await using scene = await costScene(tenant);
  const { aws, container, platform } = scene;
  const empty = await scene.meter();
  await container.run();
  const filled = await scene.meter();
  for (const service of ['dynamodb', 'firehose', 'secretsmanager'] as const) {
    aws.faults.always(service, { latencyMilliseconds: LATENCY.aws });
  }
  const traffic = new TenantTraffic(platform, tenant);
  const times: RunTimes[] = [];
  let runsThatSent = 0;
  for (let minute = 0; minute < minutes; minute++) {
    traffic.minute();
    const { records } = aws.firehose.counters;
    times.push(await container.run());
    if (aws.firehose.counters.records > records) runsThatSent++;
  }
  const wall = sum(times.map(each => each.wall));
  const cpu = sum(times.map(each => each.cpu));
  const grown = difference(await scene.meter(), filled);
  const fill = { ...difference(filled, empty), rows: scene.rows };
  return { minutes, runs: minutes, wall, cpu, ...grown, runsWithNews: runsThatSent, metrics: container.metrics, fill };
}

async function costScene(tenant: Tenant) {
  const folder = await temporaryFolder('cost');
  const platform = createPlatform({ clock: Date.now, random: createRandom(11), latencyMs: LATENCY.api });
  const assets = Math.min(tenant.streams.assets?.stock ?? 0, STOCK.assets);
  const threats = Math.min(tenant.streams.threats?.stock ?? 0, STOCK.threats);
  platform.populate({ assets, threats, dnsBlocks: STOCK.dnsBlocks });
  const { clientId: client_id, clientSecret: client_secret } = platform.account;
  const aws = await startAws({ directory: folder.path, secret: JSON.stringify({ client_id, client_secret }) });
  const server = await startPlatformServer({ platform });
  const container = startFunction({
    ...aws.environment,
    API_BASE_URL: server.baseUrl,
    AUTH_URL: server.authUrl,
    CONNECTOR_NAME: 'cost',
    DNS_BLOCKS_PATH: platform.settings.dnsBlocksPath,
  });
  return {
    aws,
    platform,
    container,
    rows: assets + threats,
    meter: () => meter(aws, container.logBytes),
    async [Symbol.asyncDispose]() {
      container.end();
      await server.close();
      await aws.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function meter(aws: LocalAws, logBytes: number): Promise<Meter> {
  const { billedBytes, bytes: lineBytes } = aws.firehose.counters;
  return { ...units(aws), billedBytes, lineBytes, storedBytes: await bytesBelow(aws.deliveredFolder), logBytes };
}

function difference(after: Meter, before: Meter): Meter {
  const grown = Object.entries(after).map(([name, value]) => [name, value - before[name as keyof Meter]]);
  return Object.fromEntries(grown) as unknown as Meter;
}

function units(aws: LocalAws) {
  const rows = aws.tally();
  const secret = rows.filter(row => row.permission.startsWith('secretsmanager:'));
  return {
    readUnits: sum(rows.map(row => row.readUnits)),
    writeUnits: sum(rows.map(row => row.writeUnits)),
    secretCalls: sum(secret.map(row => row.calls)),
  };
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter(entry => entry.isFile())
    .map(async entry => (await stat(path.join(entry.parentPath, entry.name))).size);
  return sum(await Promise.all(sizes));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Changes a tenant's platform minute by minute, in rows of realistic size. */
class TenantTraffic {
  readonly #platform: Platform;
  readonly #tenant: Tenant;
  /** The fraction of a change that is due: a sixtieth of an hour's changes is seldom a whole number. */
  readonly #due = new Map<string, number>();
  #serial = 0;

  constructor(platform: Platform, tenant: Tenant) {
    this.#platform = platform;
    this.#tenant = tenant;
  }

  minute(): void {
    const { streams } = this.#tenant;
    const { removals = 0 } = streams.assets ?? {};
    const [assetChanges, threatChanges, dnsBlocks] = (['assets', 'threats', 'dns-blocks'] as const).map(
      name => streams[name]?.changes ?? 0,
    ) as [number, number, number];
    this.#repeat('new assets', assetChanges / 10, () => this.#putAsset(`new-${this.#serial}`));
    this.#repeat('changed assets', (assetChanges * 9) / 10, () => this.#putAsset(this.#some('assets')));
    this.#repeat('new threats', threatChanges / 2, () => this.#putThreat(`new-${this.#serial}`));
    this.#repeat('changed threats', threatChanges / 2, () => this.#putThreat(this.#some('threats')));
    this.#repeat('removals', removals, () => this.#platform.remove('assets', this.#some('assets')));
    this.#repeat('dns blocks', dnsBlocks, () => {
      const { id: _id, blocked_at: _at, ...members } = this.#members('dns-blocks');
      this.#platform.put('dns-blocks', { id: `block-${this.#serial}`, ...members });
    });
  }

  #repeat(what: string, anHour: number, event: () => void): void {
    const due = (this.#due.get(what) ?? 0) + anHour / 60;
    for (let done = 0; done < Math.floor(due); done++) {
      this.#serial++;
      event();
    }
    this.#due.set(what, due % 1);
  }

  #putAsset(id: string): void {
    const { updated_at: _at, stream_position: _position, deleted: _deleted, ...members } = this.#members('assets');
    this.#platform.put('assets', { ...members, id });
  }

  #putThreat(id: string): void {
    const { updated_at: _at, stream_position: _position, asset_id: _asset, ...members } = this.#members('threats');
    const known = this.#platform.tenantData.streams.threats.latest.get(id)?.parentId;
    this.#platform.put('threats', { ...members, id, asset_id: known ?? this.#some('assets') });
  }

  #members(stream: 'assets' | 'threats' | 'dns-blocks'): Record<string, unknown> {
    return JSON.parse(rowText(stream, this.#serial)) as Record<string, unknown>;
  }

  /** A row that is not removed, another each time. */
  #some(kind: 'assets' | 'threats'): string {
    const { tenantData } = this.#platform;
    const { ids } = tenantData.streams[kind];
    for (let step = 0; ; step++) {
      const id = ids[(this.#serial * 7919 + step) % ids.length]!;
      if (tenantData.isLive(kind, id)) return id;
    }
  }
}

/** A container of the function in a process. The bytes and time series that it writes are counted. */
function startFunction(environment: Readonly<Record<string, string>>) {
  const child = fork(path.join(import.meta.dirname, 'cost-function.ts'), {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: ['--no-warnings'],
  });
  let logBytes = 0;
  const series = new Set<string>();
  let rest = '';
  const listen = (chunk: Buffer): void => {
    logBytes += chunk.length;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter(each => each.includes('"CloudWatchMetrics"'))) noteSeries(line, series);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  return {
    async run(): Promise<RunTimes> {
      child.send('run');
      const [times] = (await once(child, 'message')) as [RunTimes];
      if (times.error) throw new Error(`A run failed: ${times.error}`);
      return times;
    },
    get logBytes() {
      return logBytes;
    },
    get metrics() {
      return series.size;
    },
    end: () => void child.kill(),
  };
}

function noteSeries(line: string, series: Set<string>): void {
  const blob = JSON.parse(line) as Record<string, unknown> & {
    _aws: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] };
  };
  for (const { Dimensions: [names = []] = [], Metrics: metrics } of blob._aws.CloudWatchMetrics) {
    for (const { Name } of metrics) series.add([Name, ...names.map(name => blob[name])].join(' '));
  }
}
