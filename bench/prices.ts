/**
 * List prices of us-east-1 in US dollars, of November 2026, without free tiers. Other regions
 * differ by a few per cent. Some prices were quoted by a third party and not by AWS, and some
 * prices were not looked up. Their comments say so. Check such a price before you rely on it.
 */
export const PRICES = {
  lambdaGigabyteSecond: 0.0000133334,
  lambdaRequest: 0.2 / 1e6,
  tableWriteUnit: 0.625 / 1e6,
  tableReadUnit: 0.125 / 1e6,
  /** The price includes point-in-time recovery. This price was not looked up. */
  tableGigabyteMonth: 0.25 + 0.2,
  /** Each record is rounded up to 5 KiB. A third party has quoted this price. */
  firehoseGigabyte: 0.029,
  /** This price was not looked up. */
  objectPut: 0.005 / 1000,
  /** This price was not looked up. */
  objectGigabyteMonth: 0.023,
  /** This price was not looked up. */
  queueRequest: 0.4 / 1e6,
  /** Deliveries to SQS are free. A third party has quoted this price. */
  topicPublish: 0.5 / 1e6,
  /**
   * Price per gigabyte of the messages that a filter on the body reads, charged once for each
   * subscription with such a filter. A third party has quoted this price.
   */
  topicFilterGigabyte: 0.09,
  /** This price was not looked up. */
  scheduledStart: 1 / 1e6,
  secretMonth: 0.4,
  secretRead: 0.05 / 10_000,
  /** A third party has quoted this price. */
  logGigabyte: 0.5,
  /** A third party has quoted this price. */
  metricMonth: 0.3,
  /** A third party has quoted this price. */
  alarmMonth: 0.1,
  /** This price was not looked up. */
  compositeAlarmMonth: 0.5,
  /** A third party has quoted this price. */
  dashboardMonth: 3,
} as const;
