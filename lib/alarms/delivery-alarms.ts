import { fiveMinutes, lasting } from './alarm-conditions.ts';
import type { AlarmDefinition } from './alarm-fact.ts';

/** What Firehose may fail at. */
export const DELIVERY_ALARMS: readonly AlarmDefinition[] = [
  {
    name: 'delivery-late',
    urgency: 'page',
    first: 'status',
    impact: 'Firehose has held events for too long: the SIEM does not get what the connector has sent.',
    data: 'At risk: Firehose gives up after 24 hours for S3, after its retry time for an endpoint.',
    signal: ({ deliveryMetrics }) => ({ of: 'delivery', metric: `${deliveryMetrics}.DataFreshness` }),
    when: ({ bufferSeconds }) => ({
      statistic: 'Maximum',
      atLeast: 2 * bufferSeconds + 900,
      period: fiveMinutes,
    }),
    missing: 'notBreaching',
  },
  {
    name: 'delivery-failing',
    urgency: 'page',
    first: 'doctor',
    impact: 'The destination refuses what Firehose delivers, again and again. The SIEM does not get it.',
    data: 'At risk: Firehose tries again for 24 hours for S3, for its retry time for an endpoint.',
    signal: ({ deliveryMetrics }) => ({ of: 'delivery', metric: `${deliveryMetrics}.Success` }),
    when: () => ({ statistic: 'Average', below: 1, period: fiveMinutes, periods: 3 }),
    missing: 'notBreaching',
  },
  {
    name: 'delivery-throttled',
    urgency: 'ticket',
    first: 'status',
    impact: 'The connector has run into Firehose’s quota for an hour. Events come later.',
    data: 'Nothing is lost. The connector waits and sends what was refused again.',
    signal: { of: 'delivery', metric: 'ThrottledRecords' },
    when: lasting,
    missing: 'notBreaching',
  },
  {
    name: 'delivery-backup-used',
    urgency: 'page',
    first: 'status',
    impact: 'The endpoint did not take events within the retry time. The SIEM lacks them until they are sent again.',
    data: 'The events are kept below delivery-errors/ in the bucket.',
    signal: { of: 'delivery', metric: 'BackupToS3.Records' },
    when: () => ({ statistic: 'Sum', atLeast: 1, period: fiveMinutes }),
    missing: 'notBreaching',
    applies: ({ deliveryMetrics }) => deliveryMetrics !== 'DeliveryToS3',
  },
  {
    name: 'delivery-unconverted',
    urgency: 'page',
    first: 'status',
    impact: 'Firehose could not convert events to Parquet. The SIEM lacks them until they are loaded by hand.',
    data: 'Nothing is lost: the lines are kept below lines/ in the bucket, and the refused ones below delivery-errors/.',
    signal: { of: 'delivery', metric: 'FailedConversion.Records' },
    when: () => ({ statistic: 'Sum', atLeast: 1, period: fiveMinutes }),
    missing: 'notBreaching',
    applies: ({ converts }) => converts,
  },
];
