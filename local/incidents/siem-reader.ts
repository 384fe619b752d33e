import type { DeliveredObject } from '../aws/firehose.ts';
import type { ServiceReports } from './service-reports.ts';

/** A SIEM that reads from its queue. */
export interface SiemReader {
  /** Whether it reads. If not, notifications stay in the queue. */
  reading: boolean;
  delivered(object: DeliveredObject): void;
  /** Age of the oldest notification at a time in milliseconds since 1970; undefined when none waits. */
  oldestSeconds(now: number): number | undefined;
}

/** A SIEM that reads each object as soon as it is delivered. */
export function instantSiem(reports: ServiceReports, now: () => number): SiemReader {
  const waiting: number[] = [];
  let reading = true;
  const read = (): void => {
    if (!reading) return;
    for (const _ of waiting.splice(0)) reports.feed('siem-queue', 'NumberOfMessagesDeleted', 1);
    reports.feed('siem-queue', 'ApproximateAgeOfOldestMessage', 0);
  };
  return {
    get reading() {
      return reading;
    },
    set reading(on) {
      reading = on;
      read();
    },
    delivered() {
      waiting.push(now());
      reports.feed('siem-queue', 'NumberOfMessagesSent', 1);
      read();
    },
    oldestSeconds: at => (waiting[0] === undefined ? undefined : Math.round((at - waiting[0]) / 1000)),
  };
}
