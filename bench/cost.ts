/**
 * Computes the monthly bill of a connector from the rates of an invented tenant, list prices, and
 * the measured usage of runs and rows.
 */
import { ALARMS } from '../lib/alarms/alarms.ts';
import { CONNECTOR_DEFAULTS } from '../lib/config/schema.ts';
import { PRICES } from './prices.ts';
import { THREATS_PER_ASSET } from './rows.ts';

/** An organization, and its changes per hour. */
export interface Tenant {
  readonly name: string;
  readonly assets: number;
  /** Changed assets. The same number of threats change, and half of these threats are new. */
  readonly changes: number;
  /** Removed assets, whose threats are withdrawn. */
  readonly removals: number;
  readonly dnsBlocks: number;
}

export const TENANTS: readonly Tenant[] = [
  { name: 'small', assets: 500, changes: 60, removals: 1, dnsBlocks: 600 },
  { name: 'medium', assets: 10_000, changes: 1_200, removals: 12, dnsBlocks: 30_000 },
  { name: 'large', assets: 100_000, changes: 12_000, removals: 60, dnsBlocks: 600_000 },
];

/**
 * Parts of the stack with the default options and all streams. A test compares them with the
 * template.
 */
export const STACK_PARTS = {
  // The alarm delivery-backup-used is only for destinations other than S3.
  alarms: ALARMS.length - 1,
  compositeAlarms: 2,
  dashboards: 0,
  secrets: 1,
  memoryMegabytes: 1769,
};

/**
 * Write units per row, including checkpoints: the figure `units` of `npm run bench`, which
 * docs/testing.md shows.
 */
export const WRITE_UNITS = { asset: 1.03, newThreat: 2.03, dnsBlock: 0.046 };

/**
 * Rounded figures of a run. They were counted during ten minutes of each tenant, with an API that
 * answers after 40 ms and AWS that answers after 10 ms. The write units are only those of the
 * lease.
 */
const RUN = { milliseconds: 210, writeUnits: 2, readUnits: 10, logBytes: 3_200, metrics: 9 };
/**
 * A batch saves a checkpoint, most of which is the window. If the stream has row states, the batch
 * also has a log: an object, and an item that names it.
 */
const BATCH = { checkpointUnits: 4.5, logUnits: 1, rows: 500 };
const ROW = { milliseconds: 0.075, readUnits: 1, lineBytes: 1_260, tableBytes: 230 };
const DNS_BLOCK = { lineBytes: 540 };
/**
 * Figures of a removed asset or a withdrawn threat: its row state, and its item in the list of
 * removals or below its asset.
 */
const REMOVAL = { writeUnits: 2, lineBytes: 400 };
/**
 * Compression of lines in the bucket: the share of their bytes that remains, and the bytes that
 * each object adds.
 */
const GZIPPED = { share: 0.126, objectBytes: 1_000 };

const STREAMS = 3;
const MINUTES_PER_MONTH = 730 * 60;
const GIGABYTE = 2 ** 30;
/**
 * Firehose bills each record in steps of this size, so a stream loses half a step in each run on
 * average.
 */
const FIREHOSE_STEP_BYTES = 5 * 1024;
/** Firehose delivers an object per minute, or sooner when its buffer holds this many bytes. */
const BUFFER_BYTES = 64 * 2 ** 20;
/**
 * Size of S3's notification of one object, with its header. SNS bills a filter on the body by the
 * bytes that it reads.
 */
const NOTIFICATION_BYTES = 1_000;
/**
 * Number of times that a SIEM asks the queue for messages. Each request waits for up to 20 s, so
 * the SIEM asks three times per minute.
 */
const POLLS_PER_MONTH = 3 * MINUTES_PER_MONTH;
/**
 * The secret is read for each token, and a token that lives for five minutes is used for four and a
 * half minutes.
 */
const SECRET_READS_PER_MONTH = MINUTES_PER_MONTH / 4.5;
const RETENTION_MONTHS = CONNECTOR_DEFAULTS.retentionDays / 30.4;

/** Computes the resources that a connector uses per minute, which is one run. */
export function usagePerMinute({ changes, removals, dnsBlocks }: Tenant) {
  const perMinute = (perHour: number) => perHour / 60;
  const changed = perMinute(2 * changes);
  const newThreats = perMinute(changes / 2);
  const removed = perMinute(removals * (1 + THREATS_PER_ASSET));
  const blocks = perMinute(dnsBlocks);
  const rows = changed + removed + blocks;
  const perRun = (perHour: number) => Math.min(1, perMinute(perHour));
  // A batch of assets has one log, and so has a batch of threats. Two more logs withdraw threats
  // and strike their asset off the list.
  const logs = perRun(changes + removals) + perRun(changes) + 2 * perRun(removals);

  const lineBytes = changed * ROW.lineBytes + removed * REMOVAL.lineBytes + blocks * DNS_BLOCK.lineBytes;
  const objects = Math.max(Math.min(1, rows), lineBytes / BUFFER_BYTES);
  return {
    lines: rows,
    milliseconds: RUN.milliseconds + rows * ROW.milliseconds,
    logs,
    writeUnits:
      RUN.writeUnits +
      logs * BATCH.logUnits +
      (logs + perRun(dnsBlocks)) * BATCH.checkpointUnits +
      (changed - newThreats) * WRITE_UNITS.asset +
      newThreats * WRITE_UNITS.newThreat +
      removed * REMOVAL.writeUnits +
      blocks * WRITE_UNITS.dnsBlock,
    readUnits: RUN.readUnits + (changed + removed) * ROW.readUnits,
    lineBytes,
    billedBytes: lineBytes + (STREAMS * Math.min(1, rows) * FIREHOSE_STEP_BYTES) / 2,
    gzippedBytes: lineBytes * GZIPPED.share + objects * GZIPPED.objectBytes,
    objects,
  };
}

/** Computes the bill in US dollars per month, by part. */
export function billOf(tenant: Tenant): Readonly<Record<string, number>> {
  const { milliseconds, writeUnits, readUnits, billedBytes, gzippedBytes, objects, logs } = usagePerMinute(tenant);
  const monthly = (perMinute: number) => perMinute * MINUTES_PER_MONTH;
  const gigabytes = (bytes: number) => bytes / GIGABYTE;
  const gigabyteSeconds = monthly(milliseconds / 1000) * (STACK_PARTS.memoryMegabytes / 1024);
  const storedGigabytes = gigabytes(monthly(gzippedBytes)) * RETENTION_MONTHS;
  const bill = {
    'CloudWatch metrics': RUN.metrics * PRICES.metricMonth,
    'CloudWatch alarms':
      STACK_PARTS.alarms * PRICES.alarmMonth + STACK_PARTS.compositeAlarms * PRICES.compositeAlarmMonth,
    'CloudWatch dashboard': STACK_PARTS.dashboards * PRICES.dashboardMonth,
    'CloudWatch logs': gigabytes(monthly(RUN.logBytes)) * PRICES.logGigabyte,
    Lambda: gigabyteSeconds * PRICES.lambdaGigabyteSecond + MINUTES_PER_MONTH * PRICES.lambdaRequest,
    DynamoDB:
      monthly(writeUnits * PRICES.tableWriteUnit + readUnits * PRICES.tableReadUnit) +
      gigabytes(stockOf(tenant) * ROW.tableBytes) * PRICES.tableGigabyteMonth,
    Firehose: gigabytes(monthly(billedBytes)) * PRICES.firehoseGigabyte,
    'S3, after a year': monthly(objects + logs) * PRICES.objectPut + storedGigabytes * PRICES.objectGigabyteMonth,
    SNS: monthly(objects) * (PRICES.topicPublish + gigabytes(NOTIFICATION_BYTES) * PRICES.topicFilterGigabyte),
    SQS: (2 * monthly(objects) + POLLS_PER_MONTH) * PRICES.queueRequest,
    Scheduler: MINUTES_PER_MONTH * PRICES.scheduledStart,
    'Secrets Manager': STACK_PARTS.secrets * (PRICES.secretMonth + SECRET_READS_PER_MONTH * PRICES.secretRead),
  };
  return { ...bill, total: Object.values(bill).reduce((sum, part) => sum + part, 0) };
}

/** Number of assets and threats that exist. */
function stockOf({ assets }: Tenant): number {
  return assets * (1 + THREATS_PER_ASSET);
}

/** Computes the US dollars for the first read of assets and threats, or for a replay. */
export function initialLoadDollars(tenant: Tenant): number {
  const { assets } = tenant;
  const writeUnits = assets * (WRITE_UNITS.asset + THREATS_PER_ASSET * WRITE_UNITS.newThreat);
  const rows = stockOf(tenant);
  const firehose = ((rows * ROW.lineBytes) / GIGABYTE) * PRICES.firehoseGigabyte;
  // A batch has up to eight pages, but the estimate counts one page per batch.
  const logs = (rows / BATCH.rows) * PRICES.objectPut;
  return writeUnits * PRICES.tableWriteUnit + rows * ROW.readUnits * PRICES.tableReadUnit + firehose + logs;
}

/** Rows of the first table in docs/cost.md, with a cell for each tenant. */
export function tenantRows(): string[][] {
  const row = (label: string, member: Exclude<keyof Tenant, 'name'>) => [
    label,
    ...TENANTS.map(tenant => tenant[member].toLocaleString('en')),
  ];
  return [
    row('assets that exist, with four threats each', 'assets'),
    row('asset changes', 'changes'),
    row('threat changes, half of them new threats', 'changes'),
    row('assets removed', 'removals'),
    row('DNS blocks', 'dnsBlocks'),
  ];
}

/** Rows of the second table in docs/cost.md. */
export function costRows(): string[][] {
  const bills = TENANTS.map(billOf);
  const charged = Object.keys(bills[0]!).filter(part => bills.some(bill => bill[part]! > 0));
  const dollars = charged.map(part => {
    const cells = [part, ...bills.map(bill => bill[part]!.toFixed(2))];
    return part === 'total' ? cells.map(cell => `**${cell}**`) : cells;
  });
  return [
    ...dollars,
    ['initial load, or a replay, once', ...TENANTS.map(tenant => initialLoadDollars(tenant).toFixed(2))],
  ];
}
