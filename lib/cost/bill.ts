/** A month's bill from what runs take and what the stack has: counted by the benchmark, or estimated. */

import { type NamedStream, STREAMS, type Stream, type StreamName } from '../../lambda/streams.ts';
import { alarmsOf } from '../alarms/alarms.ts';
import { DEFAULTS } from '../connector-options.ts';
import { PRICES, type PriceName } from './prices.ts';

/** What the stack has, whatever the tenant. */
export interface Fixed {
  readonly memoryMegabytes: number;
  readonly alarms: number;
  readonly compositeAlarms: number;
  readonly dashboards: number;
  readonly secrets: number;
  /** Firehose delivers at the latest after these. */
  readonly bufferMegabytes: number;
  readonly retentionMonths: number;
}

export interface BillLine {
  readonly part: string;
  readonly price: PriceName;
  readonly quantity: number;
  readonly dollars: number;
}

const MINUTES_A_MONTH = 730 * 60;
/** Lambda gives a function the share of a vCPU that its memory has of this much. */
const MEGABYTES_A_CPU = 1769;
/** START, END and REPORT, which Lambda writes around each run. */
const PLATFORM_LOG_BYTES = 350;
/** A SIEM that waits 20 s for each message asks three times a minute. */
const POLLS_A_MINUTE = 3;
/** Estimated size of a row state or an item of the child index, with its keys. */
const ITEM_BYTES = 250;
export const GIGABYTE = 2 ** 30;

/** Milliseconds that Lambda bills for the runs: their waiting as it was, their work as long as a share of a vCPU makes it. */
export function billedMilliseconds({ wall, cpu }: Counts, memoryMegabytes: number): number {
  const share = Math.min(1, memoryMegabytes / MEGABYTES_A_CPU);
  return Math.max(0, wall - cpu) + cpu / share;
}

/** Dollars for reading all of the tenant's rows once: a new tenant, or a replay. */
export function fillingUp(tenant: Tenant, { fill }: Counts): number {
  const share = stockOf(tenant, () => 1) / fill.rows;
  const table = fill.writeUnits * PRICES.tableWriteUnit.dollars + fill.readUnits * PRICES.tableReadUnit.dollars;
  return share * (table + (fill.billedBytes / GIGABYTE) * PRICES.firehoseGigabyte.dollars);
}

/** A month of the schedule's runs, each as the counted ones were. */
export function monthlyBill(tenant: Tenant, counts: Counts, fixed: Fixed): BillLine[] {
  const months = MINUTES_A_MONTH / counts.minutes;
  const objects = Math.max(counts.runsWithNews, counts.lineBytes / (fixed.bufferMegabytes * 2 ** 20)) * months;
  const gigabyteSeconds = (billedMilliseconds(counts, fixed.memoryMegabytes) / 1000) * (fixed.memoryMegabytes / 1024);
  const storedItems = stockOf(tenant, itemsOf);
  return [
    billLine('CloudWatch metrics', 'metricMonth', counts.metrics),
    billLine('CloudWatch alarms', 'alarmMonth', fixed.alarms),
    billLine('CloudWatch alarms', 'compositeAlarmMonth', fixed.compositeAlarms),
    billLine('CloudWatch dashboard', 'dashboardMonth', fixed.dashboards),
    billLine(
      'CloudWatch logs',
      'logGigabyte',
      ((counts.logBytes + counts.runs * PLATFORM_LOG_BYTES) * months) / GIGABYTE,
    ),
    billLine('Lambda', 'lambdaGigabyteSecond', gigabyteSeconds * months),
    billLine('Lambda', 'lambdaRequest', counts.runs * months),
    billLine('DynamoDB', 'tableWriteUnit', counts.writeUnits * months),
    billLine('DynamoDB', 'tableReadUnit', counts.readUnits * months),
    billLine('DynamoDB', 'tableGigabyteMonth', (storedItems * ITEM_BYTES) / GIGABYTE),
    billLine('Firehose', 'firehoseGigabyte', (counts.billedBytes * months) / GIGABYTE),
    billLine('S3', 'objectPut', objects),
    billLine('S3', 'objectGigabyteMonth', (counts.storedBytes * months * fixed.retentionMonths) / GIGABYTE),
    billLine('SQS', 'queueRequest', 2 * objects + POLLS_A_MINUTE * MINUTES_A_MONTH),
    billLine('Scheduler', 'scheduledStart', counts.runs * months),
    billLine('Secrets Manager', 'secretMonth', fixed.secrets),
    billLine('Secrets Manager', 'secretCall', counts.secretCalls * months),
  ];
}

export function billLine(part: string, price: PriceName, quantity: number): BillLine {
  return { part, price, quantity, dollars: quantity * PRICES[price].dollars };
}
/** What an organization has, and what happens in it in an hour. */
export interface Tenant {
  readonly name: string;
  /** Streams whose path is an option are on where they are here. */
  readonly streams: { readonly [Name in StreamName]?: TenantStream };
}

export interface TenantStream {
  /** Rows that there are, of a stream with row states. */
  readonly stock?: number;
  /** New and changed rows in an hour; a tenth of them are new ones, of child rows half. */
  readonly changes: number;
  /** Tombstones in an hour. */
  readonly removals?: number;
}

/** The streams that the tenant's connector reads. */
export function streamsOf({ streams }: Tenant): NamedStream[] {
  return STREAMS.filter(stream => 'path' in stream || stream.name in streams);
}

/** Rows with row states, each as many times as `weight` says of its stream. */
export function stockOf(tenant: Tenant, weight: (stream: Stream) => number): number {
  const versioned = streamsOf(tenant).filter(({ hasRowStates }) => hasRowStates);
  return versioned.reduce((sum, stream) => sum + weight(stream) * (tenant.streams[stream.name]?.stock ?? 0), 0);
}

/** Items that the table keeps of a row: its state, and of a child row its entry in the child index. */
export function itemsOf({ cascadesFrom }: Stream): number {
  return cascadesFrom === undefined ? 1 : 2;
}

/** What AWS meters of some runs. */
export interface Meter {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly secretCalls: number;
  readonly billedBytes: number;
  readonly lineBytes: number;
  /** Gzipped, as it lies in the bucket. */
  readonly storedBytes: number;
  readonly logBytes: number;
}

/** What the runs of some minutes took together. */
export interface Counts extends Meter {
  readonly minutes: number;
  readonly runs: number;
  /** Milliseconds. */
  readonly wall: number;
  readonly cpu: number;
  readonly runsWithNews: number;
  /** Time series that the function emits. */
  readonly metrics: number;
  /** The first run, over this many rows. */
  readonly fill: Meter & { readonly rows: number };
}

/** What a stack has whatever flows; a test holds it equal to the template. */
export function fixedParts(): Fixed {
  return {
    memoryMegabytes: DEFAULTS.memoryMegabytes,
    alarms: alarmsOf({ deliveryMetrics: 'DeliveryToS3', converts: false }).length,
    compositeAlarms: 2,
    dashboards: DEFAULTS.dashboard ? 1 : 0,
    secrets: 1,
    bufferMegabytes: 64,
    retentionMonths: DEFAULTS.retentionDays / 30.4,
  };
}
