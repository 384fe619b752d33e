import { type StackPart, stackParts } from '../alarms/stack-parts.ts';
import type { RecordedMetrics } from '../alarms/time-series.ts';
import type { DeliveredObject } from '../aws/delivery.ts';
import type { Template } from '../deployment/template.ts';

/**
 * Firehose's default buffer interval in seconds. It stands for the age of the events, because a
 * scene delivers them without a buffer.
 */
const BUFFER_SECONDS = 60;

/** The first and last minute of a run. */
export interface RunMinutes {
  readonly began: number;
  readonly ended: number;
}

/**
 * Reports the metrics of AWS services. A metric that nothing in a scene can cause is reported with
 * `feed`.
 */
export class ServiceReports {
  readonly #parts: ReturnType<typeof stackParts>;
  readonly #metrics: RecordedMetrics;
  readonly #minute: () => number;

  constructor(template: Template, metrics: RecordedMetrics, minute: () => number) {
    this.#parts = stackParts(template);
    this.#metrics = metrics;
    this.#minute = minute;
  }

  feed(part: StackPart, metric: string, value: number, minute = this.#minute()): void {
    this.#metrics.add({ ...this.#parts[part], metric }, minute, value);
  }

  /** Reports a run. Lambda counts an error in the minute in which the run began. */
  ran({ began, ended }: RunMinutes, failed: boolean): void {
    this.feed('function', 'Invocations', 1, began);
    this.feed('function', 'Errors', failed ? 1 : 0, began);
    this.feed('function', 'Duration', (ended - began) * 60_000, ended);
  }

  delivered({ bytes }: DeliveredObject): void {
    this.feed('delivery', 'IncomingBytes', bytes);
    this.feed('delivery', 'DeliveryToS3.Success', 1);
    this.feed('delivery', 'DeliveryToS3.DataFreshness', BUFFER_SECONDS);
  }
}
