/** The bill of a month so far, from counted use; what flows is told until its end in proportion, what stands is there anyway. */
import { type BillLine, billLine, type Fixed, GIGABYTE } from '../../../lib/cost/bill.ts';
import type { Figure } from './used-series.ts';

export interface Use {
  /** Sums of the month so far; of `bucketBytes` the newest. */
  readonly figures: Readonly<Record<Figure, number>>;
  readonly tableBytes: number;
  readonly fixed: Fixed;
  /** Time series of the function. */
  readonly metrics: number;
  /** Share of the month that has passed. */
  readonly passed: number;
  /** Share of the month in which the figures were gathered: less where the stack is younger. */
  readonly gathered: number;
}

export interface UsedLine extends BillLine {
  /** Dollars at the month's end, if it goes on like this. */
  readonly projected: number;
}

const FIREHOSE_STEP = 5 * 1024;

export function usedLines(use: Use): UsedLine[] {
  const { figures, fixed, metrics, tableBytes, passed, gathered } = use;
  const flowing = (line: BillLine): UsedLine => ({
    ...line,
    projected: gathered === 0 ? 0 : (line.dollars / gathered) * (gathered + 1 - passed),
  });
  const standing = (line: BillLine): UsedLine => ({
    ...line,
    quantity: line.quantity * gathered,
    dollars: line.dollars * gathered,
    projected: line.dollars * (gathered + 1 - passed),
  });
  const gigabyteSeconds = (figures.duration / 1000) * (fixed.memoryMegabytes / 1024);
  return [
    standing(billLine('CloudWatch metrics', 'metricMonth', metrics)),
    standing(billLine('CloudWatch alarms', 'alarmMonth', fixed.alarms)),
    standing(billLine('CloudWatch alarms', 'compositeAlarmMonth', fixed.compositeAlarms)),
    standing(billLine('CloudWatch dashboard', 'dashboardMonth', fixed.dashboards)),
    flowing(billLine('CloudWatch logs', 'logGigabyte', figures.logBytes / GIGABYTE)),
    flowing(billLine('Lambda', 'lambdaGigabyteSecond', gigabyteSeconds)),
    flowing(billLine('Lambda', 'lambdaRequest', figures.invocations)),
    flowing(billLine('DynamoDB', 'tableWriteUnit', figures.writeUnits)),
    flowing(billLine('DynamoDB', 'tableReadUnit', figures.readUnits)),
    standing(billLine('DynamoDB', 'tableGigabyteMonth', tableBytes / GIGABYTE)),
    flowing(billLine('Firehose', 'firehoseGigabyte', billedBytes(figures) / GIGABYTE)),
    flowing(billLine('S3', 'objectPut', figures.puts)),
    standing(billLine('S3', 'objectGigabyteMonth', figures.bucketBytes / GIGABYTE)),
    flowing(billLine('SQS', 'queueRequest', figures.requests)),
    flowing(billLine('Scheduler', 'scheduledStart', figures.invocations)),
    standing(billLine('Secrets Manager', 'secretMonth', fixed.secrets)),
  ];
}

/** Each record is rounded up to 5 KiB: by half of that on average, and to it at least. */
export function billedBytes({ bytes, records }: Pick<Use['figures'], 'bytes' | 'records'>): number {
  return Math.max(records * FIREHOSE_STEP, bytes + (records * FIREHOSE_STEP) / 2);
}
