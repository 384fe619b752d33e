import type { Counts } from './cost-counts.ts';
import { COST_PRICES, type PriceName } from './cost-prices.ts';
import type { Tenant } from './cost-tenants.ts';

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

export const MINUTES_A_MONTH = 730 * 60;
/** Lambda gives a function the share of a vCPU that its memory has of this much. */
const MEGABYTES_A_CPU = 1769;
/** START, END and REPORT, which Lambda writes around each run. */
const PLATFORM_LOG_BYTES = 350;
/** A SIEM that waits 20 s for each message asks three times a minute. */
const POLLS_A_MINUTE = 3;
/** Of a row state or a membership with its keys, estimated. */
const ITEM_BYTES = 250;
const GIGABYTE = 2 ** 30;

/** Milliseconds that Lambda bills for the runs: their waiting as it was, their work as long as a share of a vCPU makes it. */
export function billedMilliseconds({ wall, cpu }: Counts, memoryMegabytes: number): number {
  const share = Math.min(1, memoryMegabytes / MEGABYTES_A_CPU);
  return Math.max(0, wall - cpu) + cpu / share;
}

/** Dollars for draining the tenant's stock once: a new tenant, or a replay. */
export function fillingUp(tenant: Tenant, { fill }: Counts): number {
  const share = (tenant.assets + tenant.threats) / fill.rows;
  const table =
    fill.writeUnits * COST_PRICES.tableWriteUnit.dollars + fill.readUnits * COST_PRICES.tableReadUnit.dollars;
  return share * (table + (fill.billedBytes / GIGABYTE) * COST_PRICES.firehoseGigabyte.dollars);
}

/** A month of the schedule's runs, each as the counted ones were. */
export function monthlyBill(tenant: Tenant, counts: Counts, fixed: Fixed): BillLine[] {
  const months = MINUTES_A_MONTH / counts.minutes;
  const objects = Math.max(counts.minutesWithNews, counts.lineBytes / (fixed.bufferMegabytes * 2 ** 20)) * months;
  const gigabyteSeconds = (billedMilliseconds(counts, fixed.memoryMegabytes) / 1000) * (fixed.memoryMegabytes / 1024);
  const storedItems = tenant.assets + 2 * tenant.threats;
  const line = (part: string, price: PriceName, quantity: number): BillLine => ({
    part,
    price,
    quantity,
    dollars: quantity * COST_PRICES[price].dollars,
  });
  return [
    line('CloudWatch metrics', 'metricMonth', counts.metrics),
    line('CloudWatch alarms', 'alarmMonth', fixed.alarms),
    line('CloudWatch alarms', 'compositeAlarmMonth', fixed.compositeAlarms),
    line('CloudWatch dashboard', 'dashboardMonth', fixed.dashboards),
    line(
      'CloudWatch logs',
      'logGigabyte',
      ((counts.logBytes + counts.minutes * PLATFORM_LOG_BYTES) * months) / GIGABYTE,
    ),
    line('Lambda', 'lambdaGigabyteSecond', gigabyteSeconds * months),
    line('Lambda', 'lambdaRequest', MINUTES_A_MONTH),
    line('DynamoDB', 'tableWriteUnit', counts.writeUnits * months),
    line('DynamoDB', 'tableReadUnit', counts.readUnits * months),
    line('DynamoDB', 'tableGigabyteMonth', (storedItems * ITEM_BYTES) / GIGABYTE),
    line('Firehose', 'firehoseGigabyte', (counts.billedBytes * months) / GIGABYTE),
    line('S3', 'objectPut', objects),
    line('S3', 'objectGigabyteMonth', (counts.storedBytes * months * fixed.retentionMonths) / GIGABYTE),
    line('SQS', 'queueRequest', 2 * objects + POLLS_A_MINUTE * MINUTES_A_MONTH),
    line('Scheduler', 'scheduledStart', MINUTES_A_MONTH),
    line('Secrets Manager', 'secretMonth', fixed.secrets),
    line('Secrets Manager', 'secretCall', counts.secretCalls * months),
  ];
}
