/** `npm run cost`: the monthly bill of three invented tenants, from the parts of the template and from what minutes of their runs use. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Command } from 'commander';
import { readConnectors } from '../lib/config/read-connectors.ts';
import { DEFAULTS } from '../lib/config/schema.ts';
import { ConnectorStack } from '../lib/connector-stack.ts';
import { PRICES } from '../lib/prices.ts';
import { argumentsOrExit, wholeNumber } from '../local/npm-command.ts';
import { markdown } from './result.ts';
import type { BenchStream, Delivered } from './rows.ts';
import { THREATS_PER_ASSET } from './rows.ts';
import { type Container, type Rows, Scene } from './scene.ts';
import type { Used } from './sink.ts';

/** What an organization has, and what happens in it in an hour. */
export interface Tenant {
  readonly name: string;
  readonly assets: number;
  /** Of assets, a tenth of them new; and as many of threats, half of them new. */
  readonly changes: number;
  readonly removals: number;
  readonly dnsBlocks: number;
}

/** Each asset has four threats. */
const TENANTS: readonly Tenant[] = [
  { name: 'small', assets: 500, changes: 60, removals: 1, dnsBlocks: 600 },
  { name: 'middle', assets: 10_000, changes: 1_200, removals: 12, dnsBlocks: 30_000 },
  { name: 'large', assets: 100_000, changes: 12_000, removals: 60, dnsBlocks: 600_000 },
];

/** Of the stock, the most assets that are read first: what a run uses depends on the changes alone. */
const MOST_ASSETS = 2_000;
const AWAY = { api: 40, aws: 10, gzip: true };

/** What was used in some minutes, and once before them to read the stock. */
export interface Counts {
  readonly minutes: number;
  readonly used: Used & { readonly seconds: number; readonly logBytes: number };
  readonly runsThatSent: number;
  /** Time series of the log. */
  readonly metrics: number;
  readonly filled: { readonly used: Used; readonly rows: number };
}

export async function count(tenant: Tenant, minutes: number): Promise<Counts> {
  await using scene = await Scene.open({ api: 0, aws: 0 });
  const container = await scene.container();
  const traffic = new Traffic(tenant);
  const stock = traffic.stock();
  await scene.append(stock);
  await container.run();
  const filled = { used: await scene.used(), rows: stock.assets!.length + stock.threats!.length };
  await scene.mode(AWAY);
  // One of everything, so that each metric is sent that a healthy connector sends within an hour.
  await minute(scene, container, traffic.oneOfEach());
  const [before, logBytes] = [await scene.used(), container.logBytes];
  let seconds = 0;
  let runsThatSent = 0;
  for (let run = 0; run < minutes; run++) {
    const changes = traffic.minute();
    if (Object.values(changes).some(each => each.length > 0)) runsThatSent++;
    seconds += await minute(scene, container, changes);
  }
  const used = { ...difference(await scene.used(), before), seconds, logBytes: container.logBytes - logBytes };
  return { minutes, used, runsThatSent, metrics: container.series.size, filled };
}

async function minute(scene: Scene, container: Container, changes: Rows): Promise<number> {
  await scene.append(changes);
  return (await container.run()).seconds;
}

function difference(after: Used, before: Used): Used {
  const members = Object.entries(after).map(([name, value]) => [name, value - before[name as keyof Used]]);
  return Object.fromEntries([...members, ['tableBytes', after.tableBytes]]);
}

/** What happens at a tenant, minute by minute. The fraction of an event that a minute has is due in a later one. */
class Traffic {
  readonly #tenant: Tenant;
  readonly #assets: number;
  readonly #due = new Map<string, number>();
  #serial = 0;
  #removed = 0;

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
    this.#assets = Math.min(tenant.assets, MOST_ASSETS);
  }

  stock(): Rows {
    const rows = (length: number) => Array.from({ length }, (_, index) => ({ index }));
    return { assets: rows(this.#assets), threats: rows(this.#assets * THREATS_PER_ASSET) };
  }

  oneOfEach(): Rows {
    return this.#rows({ newAssets: 1, assets: 1, newThreats: 1, threats: 1, removals: 1, dnsBlocks: 1 });
  }

  minute(): Rows {
    const { changes, removals, dnsBlocks } = this.#tenant;
    const anHour = {
      newAssets: changes / 10,
      assets: (changes * 9) / 10,
      newThreats: changes / 2,
      threats: changes / 2,
      removals,
      dnsBlocks,
    };
    return this.#rows(
      Object.fromEntries(Object.entries(anHour).map(([name, each]) => [name, this.#dueNow(name, each / 60)])),
    );
  }

  #dueNow(name: string, more: number): number {
    const due = (this.#due.get(name) ?? 0) + more;
    this.#due.set(name, due % 1);
    return Math.floor(due);
  }

  #rows(counts: Readonly<Record<string, number>>): Record<BenchStream, Delivered[]> {
    const times = (name: string, row: () => Delivered) => Array.from({ length: counts[name]! }, row);
    const fresh = () => ({ index: 1_000_000 + this.#serial++ });
    // Assets are removed from the first one on, and those beyond half of the stock change.
    const changed = (count: number) => () => {
      const half = Math.ceil(count / 2);
      return { index: half + ((this.#serial * 7919) % (count - half)), version: ++this.#serial };
    };
    return {
      assets: [
        ...times('newAssets', fresh),
        ...times('assets', changed(this.#assets)),
        ...times('removals', () => ({ index: this.#removed++, removed: true })),
      ],
      threats: [...times('newThreats', fresh), ...times('threats', changed(this.#assets * THREATS_PER_ASSET))],
      'dns-blocks': times('dnsBlocks', fresh),
    };
  }
}

/** What the stack has, whatever the tenant. */
export interface Parts {
  readonly alarms: number;
  readonly compositeAlarms: number;
  readonly dashboards: number;
  readonly secrets: number;
  readonly memoryMegabytes: number;
}

/** Of a connector with the default options and all streams. */
export function partsOfTemplate(): Parts {
  const folder = mkdtempSync(path.join(tmpdir(), 'cost-'));
  try {
    const { context } = JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'cdk.json'), 'utf8'));
    const app = new App({
      context: { ...context, 'aws:cdk:bundling-stacks': [] },
      analyticsReporting: false,
      outdir: folder,
      // Validating the template takes longer than synthesizing it, and nothing is deployed.
      builtinCloudFormationValidation: false,
    });
    const [config] = readConnectors([
      {
        name: 'cost',
        baseUrl: 'https://api.example',
        authUrl: 'https://auth.example/realms/cost',
        dnsBlocksPath: '/v1/dns-blocks',
      },
    ]);
    const template = Template.fromStack(new ConnectorStack(app, config!));
    const count = (type: string) => Object.keys(template.findResources(type)).length;
    const functions = Object.values(template.findResources('AWS::Lambda::Function'));
    return {
      alarms: count('AWS::CloudWatch::Alarm'),
      compositeAlarms: count('AWS::CloudWatch::CompositeAlarm'),
      dashboards: count('AWS::CloudWatch::Dashboard'),
      secrets: count('AWS::SecretsManager::Secret'),
      memoryMegabytes: Math.max(...functions.map(({ Properties }) => Properties.MemorySize ?? 0)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const MINUTES_A_MONTH = 730 * 60;
const GIGABYTE = 2 ** 30;
/** Firehose delivers an object a minute, or sooner when it has this much. */
const BUFFER_BYTES = 64 * 2 ** 20;
/** START, END and REPORT, which Lambda writes around each run. */
const PLATFORM_LOG_BYTES = 350;
/** S3's notification of one object, with its header. SNS bills a filter on the body by what it reads. */
const NOTIFICATION_BYTES = 1_000;
/** A SIEM that waits 20 s for each message asks three times a minute. */
const POLLS_A_MONTH = 3 * MINUTES_A_MONTH;
/** The secret is read for each token, and a token of five minutes is used for four and a half. */
const SECRET_READS_A_MONTH = MINUTES_A_MONTH / 4.5;
const RETENTION_MONTHS = DEFAULTS.retentionDays / 30.4;

/** Dollars a month, by part of the bill; `filling up` is once. */
export function billOf(tenant: Tenant, counts: Counts, parts: Parts): Readonly<Record<string, number>> {
  const { used, minutes, runsThatSent, metrics, filled } = counts;
  const months = MINUTES_A_MONTH / minutes;
  const monthly = (amount: number): number => amount * months;
  const objects = monthly(Math.max(runsThatSent, used.lineBytes / BUFFER_BYTES));
  const stockShare = (tenant.assets * (1 + THREATS_PER_ASSET)) / filled.rows;
  const tableCost = ({ writeUnits, readUnits }: Used): number =>
    writeUnits * PRICES.tableWriteUnit + readUnits * PRICES.tableReadUnit;
  const firehoseCost = ({ billedBytes }: Used): number => (billedBytes / GIGABYTE) * PRICES.firehoseGigabyte;
  const bill = {
    'CloudWatch metrics': metrics * PRICES.metricMonth,
    'CloudWatch alarms': parts.alarms * PRICES.alarmMonth + parts.compositeAlarms * PRICES.compositeAlarmMonth,
    'CloudWatch dashboard': parts.dashboards * PRICES.dashboardMonth,
    'CloudWatch logs': monthly((used.logBytes + minutes * PLATFORM_LOG_BYTES) / GIGABYTE) * PRICES.logGigabyte,
    Lambda:
      monthly(used.seconds * (parts.memoryMegabytes / 1024)) * PRICES.lambdaGigabyteSecond +
      MINUTES_A_MONTH * PRICES.lambdaRequest,
    DynamoDB: monthly(tableCost(used)) + ((stockShare * filled.used.tableBytes) / GIGABYTE) * PRICES.tableGigabyteMonth,
    Firehose: monthly(firehoseCost(used)),
    S3:
      objects * PRICES.objectPut +
      (monthly(used.gzippedBytes) / GIGABYTE) * RETENTION_MONTHS * PRICES.objectGigabyteMonth,
    SNS: objects * (PRICES.topicPublish + (NOTIFICATION_BYTES / GIGABYTE) * PRICES.topicFilterGigabyte),
    SQS: (2 * objects + POLLS_A_MONTH) * PRICES.queueRequest,
    Scheduler: MINUTES_A_MONTH * PRICES.scheduledStart,
    'Secrets Manager': parts.secrets * (PRICES.secretMonth + SECRET_READS_A_MONTH * PRICES.secretRead),
  };
  const together = Object.values(bill).reduce((sum, each) => sum + each, 0);
  return { ...bill, together, 'filling up': stockShare * (tableCost(filled.used) + firehoseCost(filled.used)) };
}

/** The bill, and below it what was counted in a minute. */
export function costTable(tenants: readonly Tenant[], counts: readonly Counts[], parts: Parts): string {
  const bills = tenants.map((tenant, at) => billOf(tenant, counts[at]!, parts));
  const dollars = Object.keys(bills[0]!).map(part => [part, ...bills.map(bill => bill[part]!.toFixed(2))]);
  const aMinute = (label: string, of: (used: Counts['used']) => number, digits = 0) => [
    `${label} a minute`,
    ...counts.map(({ used, minutes }) => (of(used) / minutes).toFixed(digits)),
  ];
  return markdown(
    ['US dollars a month', ...tenants.map(({ name }) => name)],
    [
      ...dollars,
      aMinute('milliseconds of Lambda', ({ seconds }) => seconds * 1000),
      aMinute('DynamoDB write units', ({ writeUnits }) => writeUnits, 1),
      aMinute('DynamoDB read units', ({ readUnits }) => readUnits, 1),
      aMinute('bytes of lines', ({ lineBytes }) => lineBytes),
      aMinute('bytes that Firehose bills', ({ billedBytes }) => billedBytes),
      aMinute('gzipped bytes in S3', ({ gzippedBytes }) => gzippedBytes),
      aMinute('bytes of logs and metrics', ({ logBytes }) => logBytes),
      ['metrics', ...counts.map(({ metrics }) => String(metrics))],
    ],
  );
}

if (import.meta.main) {
  const describe = () =>
    new Command('npm run cost --')
      .description('Computes the monthly bill of three invented tenants from the template and from counted runs.')
      .option('--minutes <n>', 'minutes of each tenant that are counted', wholeNumber(1, 10_000), 10);
  const { minutes } = argumentsOrExit<{ minutes: number }>(describe).flags;
  const counts: Counts[] = [];
  for (const tenant of TENANTS) {
    console.error(`${tenant.name}: ${minutes} minutes`);
    counts.push(await count(tenant, minutes));
  }
  console.log(costTable(TENANTS, counts, partsOfTemplate()));
}
