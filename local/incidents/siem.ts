import type { DeliveredObject } from '../aws/delivery.ts';
import type { ServiceReports } from './service-reports.ts';

export interface SiemOptions {
  readonly reports: ServiceReports;
  /** Current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Called for each object that the SIEM reads. */
  readonly onRead: (object: DeliveredObject) => void;
}

/**
 * A SIEM that reads each object as soon as it is delivered. While it is stopped, the notifications
 * wait in its queue.
 */
export class SimulatedSiem {
  readonly #options: SiemOptions;
  #queue: { readonly object: DeliveredObject; readonly sent: number }[] = [];
  #reading = true;

  constructor(options: SiemOptions) {
    this.#options = options;
  }

  get reading(): boolean {
    return this.#reading;
  }

  set reading(on: boolean) {
    this.#reading = on;
    this.#read();
  }

  delivered(object: DeliveredObject): void {
    const { reports, now } = this.#options;
    this.#queue.push({ object, sent: now() });
    reports.feed('siem-queue', 'NumberOfMessagesSent', 1);
    this.#read();
  }

  /**
   * Age of the oldest notification at a time in milliseconds since 1970. Undefined if no
   * notification waits.
   */
  oldestSeconds(at: number): number | undefined {
    const [oldest] = this.#queue;
    return oldest && Math.round((at - oldest.sent) / 1000);
  }

  #read(): void {
    if (!this.#reading) return;

    const { reports, onRead } = this.#options;
    for (const { object } of this.#queue.splice(0)) {
      reports.feed('siem-queue', 'NumberOfMessagesDeleted', 1);
      onRead(object);
    }
    reports.feed('siem-queue', 'ApproximateAgeOfOldestMessage', 0);
  }
}
