import { addRows } from './backlog.ts';
import type { Incident } from './incident.ts';

const HTTP = { destination: { type: 'http', url: 'https://siem.example/events', retrySeconds: 1200 } };

/** Incidents that no local endpoint can cause. Their metrics are reported as the service documents them. */
export const SERVICE_INCIDENTS: readonly Incident[] = [
  {
    name: 'No run starts',
    caused: 'the schedule is off or cannot start the function, or the account’s concurrency is used up',
    minutes: 36,
    eachMinute: () => undefined,
    alarms: ['stream-silent'],
  },
  {
    name: 'The bucket refuses Firehose',
    caused: 'runs continue',
    fed: 'Firehose DeliveryToS3.Success 0 and a growing DataFreshness',
    minutes: 36,
    eachMinute({ reports }, run, minute) {
      reports.feed('delivery', 'DeliveryToS3.Success', 0);
      reports.feed('delivery', 'DeliveryToS3.DataFreshness', 60 * (minute + 1));
      return run();
    },
    alarms: ['delivery-failing', 'delivery-late'],
  },
  {
    name: 'The endpoint of the SIEM is gone',
    caused: 'runs continue, with an HTTP endpoint as the destination',
    fed: 'Firehose DeliveryToHttpEndpoint.Success 0, its DataFreshness, and BackupToS3.Records after the configured twenty minutes',
    minutes: 25,
    configuration: HTTP,
    eachMinute({ reports }, run, minute) {
      reports.feed('delivery', 'DeliveryToHttpEndpoint.Success', 0);
      reports.feed('delivery', 'DeliveryToHttpEndpoint.DataFreshness', 60 * Math.min(minute + 1, 20));
      if (minute >= 20) reports.feed('delivery', 'BackupToS3.Records', 1);
      return run();
    },
    alarms: ['delivery-failing', 'delivery-late', 'delivery-backup-used'],
  },
  {
    name: 'The SIEM has stopped reading',
    caused: 'it reads no notification, and there is an event to read',
    minutes: 36,
    begin(scene) {
      scene.siem.reading = false;
      addRows(scene);
    },
    end({ siem }) {
      siem.reading = true;
    },
    alarms: ['siem-reader-stalled'],
  },
  {
    name: 'The SIEM fails on objects',
    caused: 'runs continue',
    fed: 'a message in the dead-letter queue of the notifications',
    minutes: 10,
    eachMinute({ reports }, run) {
      reports.feed('siem-dead-letters', 'ApproximateNumberOfMessagesVisible', 1);
      return run();
    },
    end: ({ reports, minute }) => reports.feed('siem-dead-letters', 'ApproximateNumberOfMessagesVisible', 0, minute),
    alarms: ['siem-reader-failing'],
  },
];
