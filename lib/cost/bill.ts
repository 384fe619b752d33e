/** A month's bill from what runs take and what the stack has: counted by the benchmark, or estimated. */

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
  const share = (tenant.assets + tenant.threats) / fill.rows;
  const table = fill.writeUnits * PRICES.tableWriteUnit.dollars + fill.readUnits * PRICES.tableReadUnit.dollars;
  return share * (table + (fill.billedBytes / GIGABYTE) * PRICES.firehoseGigabyte.dollars);
}

/** A month of the schedule's runs, each as the counted ones were. */
export function monthlyBill(tenant: Tenant, counts: Counts, fixed: Fixed): BillLine[] {
  const months = MINUTES_A_MONTH / counts.minutes;
  const objects = Math.max(counts.runsWithNews, counts.lineBytes / (fixed.bufferMegabytes * 2 ** 20)) * months;
  const gigabyteSeconds = (billedMilliseconds(counts, fixed.memoryMegabytes) / 1000) * (fixed.memoryMegabytes / 1024);
  const storedItems = tenant.assets + 2 * tenant.threats;
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
  readonly assets: number;
  readonly threats: number;
  /** An hour's changes; a tenth of those of assets are new ones, half of those of threats. */
  readonly assetChanges: number;
  readonly threatChanges: number;
  readonly removals: number;
  readonly dnsBlocks: number;
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

/** What a stack has whatever flows, with and without the stream of DNS blocks; a test holds it equal to the template. */
export function fixedParts({ dnsBlocks }: { readonly dnsBlocks: boolean }): Fixed {
  return {
    memoryMegabytes: DEFAULTS.memoryMegabytes,
    alarms: dnsBlocks ? 33 : 27,
    compositeAlarms: 2,
    dashboards: 1,
    secrets: 1,
    bufferMegabytes: 64,
    retentionMonths: DEFAULTS.retentionDays / 30.4,
  };
}
