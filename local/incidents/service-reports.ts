import { type Part, stackParts } from '../alarms/stack-parts.ts';
import type { TimeSeries } from '../alarms/time-series.ts';
import type { DeliveredObject } from '../aws/firehose.ts';
import type { Call } from '../aws/wire.ts';
import type { Template } from '../deployment/template.ts';

/** The default buffer interval of Firehose, in seconds. The alarm tests have no buffer. */
const BUFFER_SECONDS = 60;

/** Whether a call to DynamoDB reads. The others that the function makes write. */
export function isRead(action: string): boolean {
  return action === 'BatchGetItem' || action === 'Query' || action === 'Scan';
}

/** The first and last minute of a run. */
export interface RunMinutes {
  readonly began: number;
  readonly ended: number;
}

/**
 * The metrics that AWS services would report. Metrics that no local endpoint can cause (of a SIEM that stops reading) are
 * reported with `feed`.
 */
export class ServiceReports {
  readonly #parts: ReturnType<typeof stackParts>;
  readonly #metrics: TimeSeries;
  readonly #minute: () => number;

  constructor(template: Template, metrics: TimeSeries, minute: () => number) {
    this.#parts = stackParts(template);
    this.#metrics = metrics;
    this.#minute = minute;
  }

  feed(part: Part, metric: string, value: number, minute = this.#minute()): void {
    this.#metrics.add({ ...this.#parts[part], metric }, minute, value);
  }

  /** Logical id of a queue; undefined where the stack has none. */
  queueName(part: Part): string | undefined {
    return this.#parts[part].dimensions['QueueName'] || undefined;
  }

  /** Lambda counts a run's error in the minute in which the run began. */
  ran({ began, ended }: RunMinutes, failed: boolean): void {
    this.feed('function', 'Invocations', 1, began);
    this.feed('function', 'Errors', failed ? 1 : 0, began);
    this.feed('function', 'Duration', (ended - began) * 60_000, ended);
  }

  called({ service, action, status, readUnits, writeUnits }: Call): void {
    if (service === 'dynamodb') {
      if (readUnits) this.feed('table', 'ConsumedReadCapacityUnits', readUnits);
      if (writeUnits) this.feed('table', 'ConsumedWriteCapacityUnits', writeUnits);
    }
    if (service !== 'firehose' || action !== 'PutRecordBatch') return;
    if (status === 503) this.feed('delivery', 'ThrottledRecords', 1);
    if (status === 200) this.feed('delivery', 'IncomingRecords', 1);
  }

  /** DynamoDB reports these only when there are any. */
  tableThrottled(action: string): void {
    this.feed('table', isRead(action) ? 'ReadThrottleEvents' : 'WriteThrottleEvents', 1);
  }

  delivered({ bytes, heldMilliseconds }: DeliveredObject): void {
    this.feed('delivery', 'IncomingBytes', bytes);
    this.feed('delivery', 'DeliveryToS3.Success', 1);
    this.feed('delivery', 'DeliveryToS3.DataFreshness', Math.round(heldMilliseconds / 1000) || BUFFER_SECONDS);
  }
}
