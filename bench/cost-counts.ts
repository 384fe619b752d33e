import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Counts, Meter, Tenant } from '../lib/cost/tenant.ts';
import { type LocalAws, startAws } from '../local/aws/endpoints.ts';
import { createRandom } from '../local/platform/draw.ts';
import { createPlatform } from '../local/platform/platform.ts';
import { startPlatformServer } from '../local/platform/server.ts';
import type { RunTimes } from './cost-function.ts';
import { TenantTraffic } from './cost-life.ts';
import { startFunction } from './cost-process.ts';

/** Milliseconds of an answer of the API, and of one of AWS. */
const LATENCY = { api: 40, aws: 10 } as const;
/** Stock that is really drained first, at most. What a run costs hangs on what changes, not on what there is. */
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
  let runsWithNews = 0;
  for (let minute = 0; minute < minutes; minute++) {
    traffic.minute();
    const { records } = aws.firehose.counters;
    times.push(await container.run());
    if (aws.firehose.counters.records > records) runsWithNews++;
  }
  const wall = sum(times.map(each => each.wall));
  const cpu = sum(times.map(each => each.cpu));
  const grown = difference(await scene.meter(), filled);
  const fill = { ...difference(filled, empty), rows: scene.rows };
  return { minutes, runs: minutes, wall, cpu, ...grown, runsWithNews, metrics: container.metrics, fill };
}

async function costScene(tenant: Tenant) {
  const directory = await mkdtemp(path.join(tmpdir(), 'cost-'));
  const platform = createPlatform({ clock: Date.now, random: createRandom(11), latencyMs: LATENCY.api });
  const assets = Math.min(tenant.assets, STOCK.assets);
  const threats = Math.min(tenant.threats, STOCK.threats);
  platform.populate({ assets, threats, dnsBlocks: STOCK.dnsBlocks });
  const { clientId: client_id, clientSecret: client_secret } = platform.account;
  const aws = await startAws({ directory, secret: JSON.stringify({ client_id, client_secret }) });
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
      await rm(directory, { recursive: true });
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
